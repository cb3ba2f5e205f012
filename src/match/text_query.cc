// SPDX-License-Identifier: Apache-2.0
#include "match/text_query.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

namespace weir::match {
namespace {

std::vector<std::string> without_repetitions(std::vector<std::string> words) {
  std::set<std::string> seen;
  std::vector<std::string> kept;
  for (std::string& word : words) {
    if (seen.insert(word).second) kept.push_back(std::move(word));
  }
  return kept;
}

// Why nothing is left of a text: it has no words, or none but stop words.
std::string no_terms_message(std::string_view text, TextAnalyzer& analyzer) {
  constexpr std::size_t kNamedWordsMax = 8;
  std::vector<std::string> words;
  analyzer.split(text, words);
  if (words.empty()) return "there is no word to look for, expected at least one";
  words = without_repetitions(std::move(words));
  std::string more;
  if (words.size() > kNamedWordsMax) {
    more = fmt::format(" and {} more", words.size() - kNamedWordsMax);
    words.resize(kNamedWordsMax);
  }
  return fmt::format("no word is left to look for: '{}'{} {} of {}", fmt::join(words, "', '"), more,
                     words.size() == 1 ? "is a stop word" : "are stop words",
                     analyzer.options().language);
}

}  // namespace

base::Result<TextQuery> compile_text_query(std::string_view text, double score_min,
                                           TextAnalyzer& analyzer) {
  std::vector<std::string> terms;
  analyzer.analyze(text, terms);
  if (terms.empty()) {
    return base::Error{base::ErrorId::kFilterNoTerms, no_terms_message(text, analyzer),
                       std::nullopt};
  }
  return TextQuery{without_repetitions(std::move(terms)), score_min};
}

}  // namespace weir::match
