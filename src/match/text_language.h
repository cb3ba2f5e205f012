// SPDX-License-Identifier: Apache-2.0
// Text languages: what TextAnalyzer calls the language that a tag or a name stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::match {

// For a tag of BCP 47 ("de", "de-AT", "pt-BR", also with _ in place of -), whose first part is a
// code of ISO 639-1 or 639-2 ("ger" and "deu"), or a name of TextAnalyzer::languages(), in whatever
// case. What follows the first part of a tag must be well-formed and says nothing of the language.
// Nothing for any other text.
//
//   text_language("de-AT");   // german
//   text_language("German");  // german
//   text_language("xx");      // nothing
std::optional<std::string> text_language(std::string_view tag_or_name);

}  // namespace weir::match
