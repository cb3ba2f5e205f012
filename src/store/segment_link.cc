// SPDX-License-Identifier: Apache-2.0
#include "store/segment_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "store/segment.h"

namespace weir::store {
base::Result<std::vector<std::uint64_t>> find_segment_numbers(
    FileSystem& files, const std::filesystem::path& directory) {
  const auto names = files.list(directory);
  if (!names) return names.error();
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : *names) {
    if (const auto number = segment_number(name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

base::Result<FoundSegment> inspect_segment(FileSystem& files,
                                           const std::filesystem::path& directory,
                                           std::uint64_t number, FileUse use) {
  FoundSegment found;
  found.number = number;
  found.path = directory / segment_name(number);
  auto file = use == FileUse::kWrite ? files.open(found.path) : files.open_to_read(found.path);
  if (!file) return file.error();
  found.file = *std::move(file);
  const auto file_bytes = found.file->size();
  if (!file_bytes) return file_bytes.error();
  found.file_bytes = *file_bytes;
  const auto bytes = found.file->read_at(0, kSegmentHeaderBytes);
  if (!bytes) return bytes.error();
  const DecodedHeader decoded = decode_header(*bytes);
  if (decoded.state == HeaderState::kUnknownVersion) {
    return base::Error{
        base::ErrorId::kStoreVersion,
        fmt::format("{} has at offset 8 version {}, which this program does not know "
                    "(it knows {}); weir doctor tells more",
                    found.path.native(), decoded.version, kSegmentVersion),
        std::nullopt};
  }
  if (decoded.state == HeaderState::kWhole) {
    if (decoded.header.number != number) {
      return damage(found.path, 0,
                    fmt::format("its header tells number {}", decoded.header.number));
    }
    found.header = decoded.header;
    found.version = decoded.version;
  }
  return found;
}

base::Result<void> check_link(const FoundSegment& earlier, const FoundSegment& later) {
  if (later.number != earlier.number + 1) {
    return damage(
        later.path, 0,
        fmt::format("the segment before it, {}, is missing", segment_name(later.number - 1)));
  }
  if (!earlier.header) return damage(earlier.path, 0, "no valid header");
  if (!later.header) return {};
  if (later.header->previous_bytes != earlier.file_bytes) {
    return damage(earlier.path, std::min(later.header->previous_bytes, earlier.file_bytes),
                  fmt::format("it has {} bytes instead of {}", earlier.file_bytes,
                              later.header->previous_bytes));
  }
  if (later.header->first_sequence < earlier.header->first_sequence) {
    return damage(later.path, 0, "its first sequence is lower than that of the segment before");
  }
  return {};
}

}  // namespace weir::store
