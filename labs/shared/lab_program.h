// SPDX-License-Identifier: Apache-2.0
// What the main() of every lab does: takes pairs of words, and writes figures into a folder. A
// problem is given back as a text for people; none is empty.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::lab {

using NamedFiles = std::vector<std::pair<std::string, std::string>>;  // name, file

// Takes NAME=FILE.
inline bool parse_named_file(std::string_view value, NamedFiles& files) {
  const std::size_t middle = value.find('=');
  if (middle == std::string_view::npos) return false;
  files.emplace_back(value.substr(0, middle), value.substr(middle + 1));
  return true;
}

// Calls parse(name, value, arguments) for each pair of words.
template <typename Arguments, typename Parse>
std::string parse_arguments(std::span<char*> words, Arguments& arguments, Parse&& parse) {
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size() || !parse(words[i], words[i + 1], arguments)) {
      return fmt::format("what is '{}'?", words[i]);
    }
  }
  return arguments.directory.empty() ? "--out DIR is missing" : "";
}

template <typename Lab>
std::string write_figures(const Lab& lab, std::span<bool (*const)(const Lab&)> figures) {
  for (const auto& write : figures) {
    if (!write(lab)) return fmt::format("cannot write to {}", lab.directory);
  }
  return {};
}

}  // namespace weir::lab
