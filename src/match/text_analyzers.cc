// SPDX-License-Identifier: Apache-2.0
#include "match/text_analyzers.h"

#include "base/check.h"
#include "match/text_language.h"

namespace weir::match {

std::string TextAnalyzers::language_of(const filter::TextSource& source) const {
  const std::string& named = source.language.empty() ? analysis_.language : source.language;
  return text_language(named).value_or(named);
}

base::Result<TextAnalyzer*> TextAnalyzers::find_or_make(const std::string& language) {
  if (const auto found = analyzers_.find(language); found != analyzers_.end()) {
    return &found->second;
  }
  TextAnalysis analysis = analysis_;
  analysis.language = language;
  auto made = TextAnalyzer::create(analysis);
  if (!made) return made.error();
  return &analyzers_.emplace(language, std::move(*made)).first->second;
}

TextAnalyzer& TextAnalyzers::at(const std::string& language) {
  const auto found = analyzers_.find(language);
  WEIR_CHECK(found != analyzers_.end());
  return found->second;
}

}  // namespace weir::match
