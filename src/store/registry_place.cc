// SPDX-License-Identifier: Apache-2.0
#include "store/registry_place.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <optional>

#include "store/file_system.h"

namespace weir::store {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kHeaderBytes = 100;
constexpr std::size_t kPageBytesOffset = 16;
constexpr std::size_t kPageCountOffset = 28;
constexpr std::uint64_t kPageBytesMin = 512;
constexpr std::uint64_t kPageBytesMax = 65536;  // the header has 1 for it

// SQLite's numbers are big-endian.
std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(offset, size)) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

std::optional<std::string> place_in_file(const std::string& path) {
  const auto file = posix_file_system().open_to_read(path);
  if (!file) return std::nullopt;
  const auto header = (*file)->read_at(0, kHeaderBytes);
  const auto size_bytes = (*file)->size();
  if (!header || !size_bytes) return std::nullopt;
  if (header->size() < kHeaderBytes || !header->starts_with(kMagic)) {
    return "offset 0: no header of SQLite";
  }
  std::uint64_t page_bytes = number_at(*header, kPageBytesOffset, 2);
  if (page_bytes == 1) page_bytes = kPageBytesMax;
  if (page_bytes < kPageBytesMin || !std::has_single_bit(page_bytes)) {
    return fmt::format("offset {}: the size of pages", kPageBytesOffset);
  }
  const std::uint64_t rest_bytes = *size_bytes % page_bytes;
  if (rest_bytes != 0) {
    return fmt::format(
        "offset {}: {} bytes are no page: the file is cut, or has bytes too many "
        "before it",
        *size_bytes - rest_bytes, rest_bytes);
  }
  const std::uint64_t page_count = number_at(*header, kPageCountOffset, 4);
  if (page_count * page_bytes <= *size_bytes) return std::nullopt;
  return fmt::format("offset {}: the file ends before page {}", *size_bytes, page_count);
}

// The first line of the integrity check that names a page.
std::optional<std::string> place_in_pages(Database& database) {
  auto query = database.query("PRAGMA integrity_check(10)");
  while (query) {
    const auto there = query->step();
    if (!there || !*there) break;
    std::string line = query->column_text(0);
    if (line.find("page ") != std::string::npos) return line;
  }
  return std::nullopt;
}

}  // namespace

std::string damage_place(Database& database, std::string_view told) {
  if (told.find("schema") != std::string_view::npos) return "table sqlite_schema";
  if (const auto place = place_in_file(database.file())) return *place;
  return place_in_pages(database).value_or("page 1");
}

}  // namespace weir::store
