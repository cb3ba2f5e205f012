// SPDX-License-Identifier: Apache-2.0
// CsvFile: a table of results. Values are numbers and plain words, so nothing is quoted.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <string_view>

namespace weir::lab {

class CsvFile {
 public:
  // Opens DIRECTORY/NAME.csv and writes the heads; a failure shows in ok().
  CsvFile(const std::string& directory, std::string_view name, std::string_view heads)
      : file_(fmt::format("{}/{}.csv", directory, name)) {
    file_ << heads << '\n';
  }

  template <typename... Values>
  void row(const Values&... values) {
    std::string line;
    ((line += fmt::format("{},", values)), ...);
    line.back() = '\n';
    file_ << line;
  }

  // Whether all that was written has arrived.
  bool ok() {
    file_.flush();
    return file_.good();
  }

 private:
  std::ofstream file_;
};

}  // namespace weir::lab
