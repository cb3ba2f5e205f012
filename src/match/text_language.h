// SPDX-License-Identifier: Apache-2.0
// Text languages: what TextAnalyzer calls the language that a tag or a name stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::match {

// As filter::text_language(); nothing also for a language that libstemmer was built without.
//
//   text_language("de-AT");   // german
//   text_language("German");  // german
//   text_language("xx");      // nothing
std::optional<std::string> text_language(std::string_view tag_or_name);

}  // namespace weir::match
