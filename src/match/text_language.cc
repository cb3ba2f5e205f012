// SPDX-License-Identifier: Apache-2.0
#include "match/text_language.h"

#include <algorithm>

#include "filter/text_languages.h"
#include "match/text_analyzer.h"

namespace weir::match {

std::optional<std::string> text_language(std::string_view tag_or_name) {
  std::optional<std::string> name = filter::text_language(tag_or_name);
  if (!name || !std::ranges::binary_search(TextAnalyzer::languages(), *name)) return std::nullopt;
  return name;
}

}  // namespace weir::match
