// SPDX-License-Identifier: Apache-2.0
// Table: columns of text for people, as wide as their widest cell, the last one as long as it is.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> titles);

  // As many cells as there are titles. What comes from elsewhere is made printable.
  void add(const std::vector<std::string>& cells);
  std::string to_text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::cli
