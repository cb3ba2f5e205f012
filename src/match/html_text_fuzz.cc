// SPDX-License-Identifier: Apache-2.0
// The text of any bytes is at most as long as they are, and valid UTF-8 if they are; any text comes
// back from its own escaped form.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "match/html_text.h"

namespace {

using weir::base::utf8_valid_prefix_bytes;
using weir::match::html_text;

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    if (c == '&') {
      html += "&amp;";
    } else if (c == '<') {
      html += "&lt;";
    } else {
      html += c;
    }
  }
  return html;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string html(data, data + size);
  const std::string text = html_text(html);
  WEIR_CHECK(text.size() <= html.size());
  if (utf8_valid_prefix_bytes(html) == html.size()) {
    WEIR_CHECK(utf8_valid_prefix_bytes(text) == text.size());
  }
  WEIR_CHECK(html_text(escaped(text)) == text);
  WEIR_CHECK(html_text(escaped(html)) == html);
  return 0;
}
