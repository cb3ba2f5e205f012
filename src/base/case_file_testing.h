// SPDX-License-Identifier: Apache-2.0
// Case files: tests as data. A case is a block of lines `key text`, blocks are parted by blank
// lines, `#` starts a comment line. The text is everything after the first blank, as it stands;
// `\n`, `\t`, `\\` and `\xHH` in a key that ends in `!` are unescaped (`expr! a\n= 1`).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::base {

struct CaseLine {
  std::string key;
  std::string text;
  std::size_t line = 0;
};

struct Case {
  std::string file;
  std::vector<CaseLine> lines;

  // The text of the first line with that key, or null.
  const std::string* find(std::string_view key) const;
  // "file:line", for messages.
  std::string where() const;
};

// Reads a case file, by its path from the source root. Aborts if it cannot be read or is empty.
std::vector<Case> read_cases(std::string_view path_from_source_root);

}  // namespace weir::base
