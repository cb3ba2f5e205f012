// SPDX-License-Identifier: Apache-2.0
// TemporaryDirectory: an empty directory for one test, removed at its end.
#pragma once

#include <filesystem>
#include <string_view>

namespace weir::base {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace weir::base
