// SPDX-License-Identifier: Apache-2.0
#include "cli/table_output.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "cli/text_output.h"

namespace weir::cli {
namespace {

constexpr std::size_t kCellBytesMax = 120;

// Code points, which is what most terminals give one column each.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

Table::Table(std::vector<std::string> titles) : rows_{std::move(titles)} {}

void Table::add(const std::vector<std::string>& cells) {
  WEIR_CHECK(cells.size() == rows_[0].size());
  std::vector<std::string> row;
  for (const std::string& cell : cells) {
    row.push_back(cell.empty() ? "-" : printable(cell, kCellBytesMax));
  }
  rows_.push_back(std::move(row));
}

std::string Table::to_text() const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      out += row[i];
      out.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    out += row.back() + '\n';
  }
  return out;
}

}  // namespace weir::cli
