// SPDX-License-Identifier: Apache-2.0
// TextQuery: the terms and the threshold of one `about '...' score >= T`.
//
// The text is analysed like the documents it is matched with, so the analyzer must have the same
// options. Whether a term is written once or thrice makes no difference.
//
//   base::Result<TextQuery> query = compile_text_query("the storms, the storm", 1.2, analyzer);
//   query->terms;  // storm
//   query->matches(score(query->terms, document, corpus));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "match/text_analyzer.h"
#include "match/text_corpus.h"

namespace weir::match {

struct TextQuery {
  std::vector<std::string> terms;  // each once, in the order of the text, at least one
  double score_min = 0.0;          // T(f) in the paper

  bool matches(const TextScore& score) const { return score.total >= score_min; }

  bool operator==(const TextQuery&) const = default;
};

// Fails with kFilterNoTerms, naming the words that were dropped, if no term is left.
base::Result<TextQuery> compile_text_query(std::string_view text, double score_min,
                                           TextAnalyzer& analyzer);

}  // namespace weir::match
