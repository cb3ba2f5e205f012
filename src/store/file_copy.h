// SPDX-License-Identifier: Apache-2.0
// copy_file: bytes from one file to a new one, with their checksum, durable when it returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "store/file_system.h"

namespace weir::store {

// Told after every piece how many bytes it had.
using CopyProgress = std::function<void(std::uint64_t bytes)>;

struct CopiedFile {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // XXH3 of all bytes, seed 0
};

// The first `bytes_max` bytes, or as many as there are. Does not sync the directory.
base::Result<CopiedFile> copy_file(const File& from, std::uint64_t bytes_max, FileSystem& files,
                                   const std::filesystem::path& to, const CopyProgress& progress);

// The size and checksum of a file that is there.
base::Result<CopiedFile> sum_file(const File& file);

}  // namespace weir::store
