// SPDX-License-Identifier: Apache-2.0
#include "cli/text_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace weir::cli {
namespace {

constexpr std::string_view kCut = "...";
constexpr std::size_t kColumnsMax = 96;
constexpr std::size_t kColumnsBefore = 60;

constexpr bool is_control(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
}

// The line of that number from 1, or the last one.
std::string_view nth_line(std::string_view text, std::size_t line) {
  for (; line > 1; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// Bytes before the given column, which counts from 1.
std::size_t column_offset(std::string_view line, std::size_t column) {
  std::size_t offset = 0;
  for (std::size_t i = 1; i < column && offset < line.size(); ++i) {
    do {
      ++offset;
    } while (offset < line.size() && (static_cast<unsigned char>(line[offset]) & 0xC0U) == 0x80U);
  }
  return offset;
}

}  // namespace

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string out;
  while (!text.empty()) {
    const base::CodePoint point = base::decode_utf8(text);
    const std::size_t bytes = std::max<std::size_t>(point.length_bytes, 1);
    if (out.size() + bytes > bytes_max) return out + std::string(kCut);
    if (point.length_bytes == 0 || is_control(point.value)) {
      out += '?';
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string readable_bytes(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string excerpt(std::string_view text, std::size_t line_number, std::size_t column) {
  std::string_view line = nth_line(text, line_number);
  std::string_view before;
  if (column > kColumnsMax) {
    line.remove_prefix(column_offset(line, column - kColumnsBefore));
    column = kColumnsBefore + 1;
    before = kCut;
  }
  const std::size_t kept = column_offset(line, kColumnsMax + 1);
  const std::string_view after = kept < line.size() ? kCut : "";
  line = line.substr(0, kept);
  return fmt::format("  {}{}{}\n  {:{}}^\n", before, printable(line, line.size()), after, "",
                     before.size() + column - 1);
}

}  // namespace weir::cli
