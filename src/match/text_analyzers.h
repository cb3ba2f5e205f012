// SPDX-License-Identifier: Apache-2.0
// TextAnalyzers: one analyzer for each language that somebody names, made when first asked for.
// Single-threaded.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "filter/ast.h"
#include "match/text_analyzer.h"

namespace weir::match {

class TextAnalyzers {
 public:
  // `analysis` is that of text sources that do not name a language.
  explicit TextAnalyzers(TextAnalysis analysis) : analysis_(std::move(analysis)) {}

  // The name of the source's language; an unknown one stays as it is, for the analysis to refuse.
  std::string language_of(const filter::TextSource& source) const;
  // Fails if the analysis cannot be set up, as for a language that is not known.
  base::Result<TextAnalyzer*> find_or_make(const std::string& language);
  // Requires a language that was made.
  TextAnalyzer& at(const std::string& language);

  const TextAnalysis& analysis() const { return analysis_; }

 private:
  TextAnalysis analysis_;
  std::map<std::string, TextAnalyzer> analyzers_;  // by language
};

}  // namespace weir::match
