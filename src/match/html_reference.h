// SPDX-License-Identifier: Apache-2.0
// HtmlReference: what a character reference of HTML stands for (&amp; &#8364; &#x20AC).
//
// Numbers are read as HTML reads them: 0, surrogates and what is above U+10FFFF become U+FFFD, 0x80
// to 0x9F are taken for windows-1252, and the semicolon may be missing. Names are those of HTML 4,
// and of HTML 5 those of ASCII, Latin, Greek and Cyrillic characters and of punctuation that have
// up to kHtmlNameBytesMax bytes; 106 old ones need no semicolon, which may cut a longer word as it
// does in a browser ("&notes" is "¬es").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::match {

inline constexpr std::size_t kHtmlNameBytesMax = 8;

struct HtmlReference {
  std::uint32_t code_point = 0;  // never a surrogate
  std::size_t length_bytes = 0;  // with & and ;, at least that of the code point in UTF-8; 0: none
};

// The reference at the start of `text`. Costs: linear in the reference.
HtmlReference read_html_reference(std::string_view text);

}  // namespace weir::match
