// SPDX-License-Identifier: Apache-2.0
// TextQuery: what one `about '...'` looks for, analysed.
//
// The words are analysed like the documents they are matched with, so the analyzer must have the
// same options. Whether a term is written once or thrice makes no difference.
//
//   base::Result<TextQuery> query = compile_text_query(about, 1.0, analyzer);
//   query->terms;  // storm, flood
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "filter/ast.h"
#include "match/text_analyzer.h"
#include "match/text_phrase.h"

namespace weir::match {

struct TextQuery {
  filter::About::Mode mode = filter::About::Mode::kScore;
  // What is scored, each once: the terms of plain words in the order of the text, then those that
  // only phrases have.
  std::vector<std::string> terms = {};
  std::size_t plain_term_count = 0;
  std::vector<TextPhrase> phrases = {};
  std::vector<std::string> excluded_terms = {};
  std::vector<TextPhrase> excluded_phrases = {};
  std::optional<double> score_min = std::nullopt;  // T(f) in the paper; none: any will do

  bool has_phrases() const { return !phrases.empty() || !excluded_phrases.empty(); }

  bool operator==(const TextQuery&) const = default;
};

// Fails with kFilterNoTerms, naming the words that were dropped, if no term is left to look for or
// to exclude, or if only a phrase of stop words is left for a score above 0; with
// kFilterListTooLong beyond kQueryTermCountMax terms. `score_min` is that of an about without a
// score, unless it says all or any.
base::Result<TextQuery> compile_text_query(const filter::About& about, double score_min,
                                           TextAnalyzer& analyzer);

}  // namespace weir::match
