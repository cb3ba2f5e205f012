// SPDX-License-Identifier: Apache-2.0
#include "filter/document_testing.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <utility>

#include "base/check.h"

namespace weir::filter {
namespace {

// The cell, and what is left of it if the whole cell is code.
std::string cell_text(std::string_view cell) {
  std::string text = trimmed(cell);
  const bool code = text.size() >= 2 && text.front() == '`' && text.find('`', 1) == text.size() - 1;
  return code ? text.substr(1, text.size() - 2) : text;
}

// Nothing if the line is no row of a table. A bar behind a backslash parts nothing.
std::optional<std::vector<std::string>> cells_of(std::string_view line) {
  if (!line.starts_with('|') || !line.ends_with('|') || line.size() < 2) return std::nullopt;
  line = line.substr(1, line.size() - 2);
  std::vector<std::string> cells;
  for (;;) {
    std::size_t bar = line.find('|');
    while (bar != line.npos && bar > 0 && line[bar - 1] == '\\') bar = line.find('|', bar + 1);
    cells.push_back(cell_text(line.substr(0, bar)));
    if (bar == std::string_view::npos) return cells;
    line.remove_prefix(bar + 1);
  }
}

}  // namespace

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

Document Document::read(std::string_view path_from_source_root) {
  std::ifstream in(fmt::format("{}/{}", WEIR_SOURCE_DIR, path_from_source_root));
  WEIR_CHECK(in.good());
  Document document;
  std::string line;
  while (std::getline(in, line)) document.lines_.push_back(line);
  return document;
}

std::vector<DocumentBlock> Document::blocks(std::string_view language) const {
  std::vector<DocumentBlock> blocks;
  std::optional<DocumentBlock> open;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string& line = lines_[i];
    if (!line.starts_with("```")) {
      if (open) open->lines.push_back({line, i + 1});
    } else if (!open) {
      open = DocumentBlock{line.substr(3), {}};
    } else {
      if (open->language == language) blocks.push_back(std::move(*open));
      open.reset();
    }
  }
  return blocks;
}

std::vector<DocumentRow> Document::rows(std::string_view first_head_cell) const {
  std::vector<DocumentRow> rows;
  bool inside = false;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    auto cells = cells_of(lines_[i]);
    const bool begins = i == 0 || !cells_of(lines_[i - 1]);
    if (cells && begins) {
      inside = cells->front() == first_head_cell;
      continue;
    }
    const bool rule = lines_[i].starts_with("|---");
    if (cells && inside && !rule) rows.push_back({std::move(*cells), i + 1});
  }
  return rows;
}

}  // namespace weir::filter
