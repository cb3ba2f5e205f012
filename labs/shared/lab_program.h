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

// Reads every file by read(name, file).
template <typename Workload, typename Read>
std::string read_files(const NamedFiles& files, std::vector<Workload>& workloads, Read&& read) {
  for (const auto& [name, file] : files) {
    auto workload = read(name, file);
    if (!workload) return workload.error().message;
    workloads.push_back(std::move(*workload));
  }
  return {};
}

// Calls parse(name, value, arguments) for each pair of words but `--out DIR`, which all labs have.
template <typename Arguments, typename Parse>
std::string parse_arguments(std::span<char*> words, Arguments& arguments, Parse&& parse) {
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const bool has_value = i + 1 < words.size();
    if (has_value && std::string_view(words[i]) == "--out") {
      arguments.directory = words[i + 1];
    } else if (!has_value || !parse(words[i], words[i + 1], arguments)) {
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

// For main(): the exit status, and what to tell.
struct Outcome {
  int status = 0;
  std::string problem = {};
};

// Parses the words and calls run(arguments), which gives back a problem.
template <typename Arguments, typename Parse, typename Run>
Outcome run_lab(std::span<char*> words, Parse&& parse, Run&& run) {
  Arguments arguments;
  std::string unclear = parse_arguments(words, arguments, parse);
  if (!unclear.empty()) return {2, std::move(unclear)};
  std::string trouble = run(arguments);
  const int status = trouble.empty() ? 0 : 1;
  return {status, std::move(trouble)};
}

}  // namespace weir::lab
