// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/literal.h"

namespace weir::filter::cesql {
namespace {

// Whether each such quote in the content stands after an even number of backslashes, so that the
// one that escapes it is not taken for the second of a pair.
bool can_hold(std::string_view content, char quote_mark) {
  bool paired = true;
  for (const char c : content) {
    if (c == quote_mark && !paired) return false;
    paired = c != '\\' || !paired;
  }
  return true;
}

}  // namespace

std::size_t string_literal_bytes(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text.front()) {
      return i + 1;
    }
  }
  return 0;
}

std::string unquote(std::string_view literal) {
  const std::string_view inner = literal.substr(1, literal.size() - 2);
  std::string content;
  content.reserve(inner.size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\\' && i + 1 < inner.size()) {
      if (inner[i + 1] != literal.front()) content += inner[i];
      ++i;
    }
    content += inner[i];
  }
  return content;
}

std::string quote(std::string_view content) {
  const char mark = can_hold(content, '\'') ? '\'' : '"';
  std::string literal(1, mark);
  for (const char c : content) {
    if (c == mark) literal += '\\';
    literal += c;
  }
  return literal + mark;
}

}  // namespace weir::filter::cesql
