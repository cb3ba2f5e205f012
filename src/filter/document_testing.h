// SPDX-License-Identifier: Apache-2.0
// Documents of the project, as tests read them: fenced blocks and tables of Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::filter {

// Without blanks at its ends.
std::string trimmed(std::string_view text);

struct DocumentLine {
  std::string text;
  std::size_t line = 0;
};

// The lines between ``` and ```.
struct DocumentBlock {
  std::string language;  // what stands behind the opening ```
  std::vector<DocumentLine> lines;
};

// A row of a table, without the head; code in a cell has lost its backticks.
struct DocumentRow {
  std::vector<std::string> cells;
  std::size_t line = 0;
};

class Document {
 public:
  // Reads a file, by its path from the source root. Aborts if it cannot be read.
  static Document read(std::string_view path_from_source_root);

  // The blocks of a language, in their order.
  std::vector<DocumentBlock> blocks(std::string_view language) const;
  // The rows of the tables whose first head cell is this one.
  std::vector<DocumentRow> rows(std::string_view first_head_cell) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace weir::filter
