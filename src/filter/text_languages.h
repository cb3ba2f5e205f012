// SPDX-License-Identifier: Apache-2.0
// Text languages: the languages of text(...) in '...', by name and by tag.
//
// A test in match compares the names with those that libstemmer knows, which does the work there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir::filter {

// All names, ascending; "none" is the one that stems nothing.
std::span<const std::string_view> text_languages();

// The name that a text stands for: a tag of BCP 47 ("de", "de-AT", "pt-BR", also with _ in place of
// -), whose first part is a code of ISO 639-1 or 639-2 ("ger" and "deu"), or a name, in whatever
// case. What follows the first part of a tag must be well-formed and says nothing of the language.
// Nothing for any other text.
//
//   text_language("de-AT");   // german
//   text_language("German");  // german
//   text_language("xx");      // nothing
std::optional<std::string> text_language(std::string_view tag_or_name);

}  // namespace weir::filter
