// SPDX-License-Identifier: Apache-2.0
#include "base/case_file_testing.h"

#include <fmt/format.h>

#include <fstream>

#include "base/check.h"

namespace weir::base {
namespace {

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == 'x' && i + 2 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

CaseLine split(const std::string& line, std::size_t number) {
  const std::size_t blank = line.find(' ');
  std::string key = line.substr(0, blank);
  std::string text = blank == std::string::npos ? "" : line.substr(blank + 1);
  if (key.ends_with('!')) {
    key.pop_back();
    text = unescape(text);
  }
  return {std::move(key), std::move(text), number};
}

}  // namespace

const std::string* Case::find(std::string_view key) const {
  for (const CaseLine& line : lines) {
    if (line.key == key) return &line.text;
  }
  return nullptr;
}

std::string Case::where() const { return fmt::format("{}:{}", file, lines.front().line); }

std::vector<Case> read_cases(std::string_view path_from_source_root) {
  std::ifstream in(fmt::format("{}/{}", WEIR_SOURCE_DIR, path_from_source_root));
  WEIR_CHECK(in.good());
  std::vector<Case> cases;
  bool open = false;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with('#')) continue;
    if (line.empty()) {
      open = false;
      continue;
    }
    if (!open) cases.push_back({std::string(path_from_source_root), {}});
    open = true;
    cases.back().lines.push_back(split(line, number));
  }
  WEIR_CHECK(!cases.empty());
  return cases;
}

}  // namespace weir::base
