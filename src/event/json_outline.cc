// SPDX-License-Identifier: Apache-2.0
#include "event/json_outline.h"

#include <algorithm>
#include <vector>

#include "event/json_document.h"

namespace weir::event {
namespace {

constexpr std::string_view kEndsOfWord = ",:{}[]\" \n\t\r";

// One past the closing quote of the string at `at`; beyond the text if it has none.
std::size_t after_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

std::size_t after_word(std::string_view text, std::size_t at) {
  return std::min(text.find_first_of(kEndsOfWord, at), text.size());
}

}  // namespace

std::optional<std::size_t> outline_end(std::string_view text, std::size_t offset_bytes) {
  std::vector<bool> open;  // true: an object
  bool after_value = false;
  for (std::size_t at = offset_bytes; at < text.size();) {
    const char c = text[at];
    if (is_json_space(c)) {
      ++at;
      continue;
    }
    if (c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == '}')) return std::nullopt;
      open.pop_back();
      ++at;
    } else if (c == ',' || c == ':') {
      if (open.empty()) return std::nullopt;
      after_value = false;
      ++at;
      continue;
    } else if (after_value) {
      return std::nullopt;
    } else if (c == '{' || c == '[') {
      open.push_back(c == '{');
      ++at;
      continue;
    } else {
      at = c == '"' ? after_string(text, at) : after_word(text, at);
      if (at > text.size()) return std::nullopt;
    }
    if (open.empty()) return at;
    after_value = true;
  }
  return std::nullopt;
}

}  // namespace weir::event
