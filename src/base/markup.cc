// SPDX-License-Identifier: Apache-2.0
#include "base/markup.h"

namespace weir::base {

void append_escaped(std::string_view text, std::string& markup) {
  for (const char c : text) {
    switch (c) {
      case '&':
        markup += "&amp;";
        break;
      case '<':
        markup += "&lt;";
        break;
      case '>':
        markup += "&gt;";
        break;
      case '"':
        markup += "&quot;";
        break;
      case '\'':
        markup += "&#39;";
        break;
      default:
        markup += c;
    }
  }
}

}  // namespace weir::base
