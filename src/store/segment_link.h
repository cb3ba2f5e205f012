// SPDX-License-Identifier: Apache-2.0
// The files of a log as far as their headers tell, and whether two neighbours fit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/file_system.h"
#include "store/segment_format.h"
#include "store/segment_scan.h"

namespace weir::store {

// A file of the directory, as far as its header tells.
struct FoundSegment {
  std::uint64_t number = 0;
  std::filesystem::path path;
  std::shared_ptr<File> file;
  std::uint64_t file_bytes = 0;
  std::optional<SegmentHeader> header;  // none if it is damaged
  std::uint32_t version = 0;            // of the header
};

enum class FileUse : std::uint8_t { kRead, kWrite };

// Ascending.
base::Result<std::vector<std::uint64_t>> find_segment_numbers(
    FileSystem& files, const std::filesystem::path& directory);

// Fails with kStoreVersion if it is of a later version, and with kStoreCorrupt if it is another
// segment than its name tells.
base::Result<FoundSegment> inspect_segment(FileSystem& files,
                                           const std::filesystem::path& directory,
                                           std::uint64_t number, FileUse use);

// kStoreCorrupt, which names the file, if a segment is missing between the two, or the earlier one
// is not as long as it was.
base::Result<void> check_link(const FoundSegment& earlier, const FoundSegment& later);

}  // namespace weir::store
