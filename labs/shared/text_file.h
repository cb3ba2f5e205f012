// SPDX-License-Identifier: Apache-2.0
// Reading a file of input as one text, and the error of one that is not as it should be.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace weir::lab {

inline base::Error file_error(std::string message) {
  return {base::ErrorId::kCliFile, std::move(message), std::nullopt};
}

inline base::Result<std::string> read_text(const std::string& file_name) {
  std::ifstream file(file_name, std::ios::binary);
  if (!file) return file_error(fmt::format("cannot read {}", file_name));
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

}  // namespace weir::lab
