// SPDX-License-Identifier: Apache-2.0
#include "match/text_query.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "filter/limits.h"
#include "filter/text_words.h"

namespace weir::match {
namespace {

using base::ErrorId;
using filter::About;
using filter::TextPart;

base::Error refusal(ErrorId id, std::string message) {
  return {id, std::move(message), std::nullopt};
}

// Words in the order they came, each once.
class WordList {
 public:
  void append(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (seen_.insert(word).second) words_.push_back(word);
    }
  }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> words_;
};

// Why nothing is left of some words: there are none, or none but stop words.
std::string no_terms_message(const std::vector<std::string>& words, std::string_view purpose,
                             const TextAnalyzer& analyzer) {
  constexpr std::size_t kNamedWordsMax = 8;
  if (words.empty()) return fmt::format("there is no word to {}, expected at least one", purpose);
  WordList list;
  list.append(words);
  std::vector<std::string> named = list.words();
  std::string more;
  if (named.size() > kNamedWordsMax) {
    more = fmt::format(" and {} more", named.size() - kNamedWordsMax);
    named.resize(kNamedWordsMax);
  }
  return fmt::format("no word is left to {}: '{}'{} {} of {}", purpose, fmt::join(named, "', '"),
                     more, named.size() == 1 ? "is a stop word" : "are stop words",
                     analyzer.options().language);
}

class Compiler {
 public:
  explicit Compiler(TextAnalyzer& analyzer) : analyzer_(analyzer) {}

  base::Result<TextQuery> compile(const About& about, double score_min) {
    const auto parts = filter::split_words(about.words);
    if (!parts) return parts.error();
    for (const TextPart& part : *parts) {
      if (auto ok = part.excluded ? exclude(part) : look_for(part); !ok) return ok.error();
    }
    query_.mode = about.mode;
    query_.score_min = about.score_min;
    if (!about.score_min && about.mode == About::Mode::kScore) query_.score_min = score_min;
    query_.plain_term_count = terms_.words().size();
    terms_.append(phrase_terms_.words());
    query_.terms = terms_.words();
    query_.excluded_terms = excluded_terms_.words();
    if (auto ok = check(); !ok) return ok.error();
    return std::move(query_);
  }

 private:
  base::Result<void> look_for(const TextPart& part) {
    std::vector<std::string> words = split(part);
    if (part.phrase && words.empty()) return no_terms(words, "look for in a phrase");
    words_.append(words);
    (part.phrase ? phrase_terms_ : terms_).append(analyze(part));
    if (part.phrase) query_.phrases.push_back(std::move(words));
    return {};
  }

  // Several words that are written as one, such as -e-mail, are excluded as a phrase.
  base::Result<void> exclude(const TextPart& part) {
    std::vector<std::string> words = split(part);
    const std::vector<std::string> terms = analyze(part);
    const bool is_phrase = part.phrase || words.size() > 1;
    if (words.empty() || (!is_phrase && terms.empty())) return no_terms(words, "exclude");
    if (is_phrase) {
      query_.excluded_phrases.push_back(std::move(words));
    } else {
      excluded_terms_.append(terms);
    }
    return {};
  }

  base::Result<void> check() const {
    const std::size_t term_count = query_.terms.size() + query_.excluded_terms.size();
    if (term_count > filter::kQueryTermCountMax) {
      return refusal(ErrorId::kFilterListTooLong,
                     fmt::format("there are {} different words after about, the limit is {}",
                                 term_count, filter::kQueryTermCountMax));
    }
    if (!query_.terms.empty()) return {};
    if (query_.phrases.empty()) return no_terms(words_.words(), "look for");
    if (query_.score_min.value_or(0) <= 0) return {};
    return refusal(ErrorId::kFilterNoTerms,
                   no_terms_message(words_.words(), "be scored", analyzer_) +
                       ": a phrase of stop words is looked for by about all, without a score");
  }

  base::Error no_terms(const std::vector<std::string>& words, std::string_view purpose) const {
    return refusal(ErrorId::kFilterNoTerms, no_terms_message(words, purpose, analyzer_));
  }

  std::vector<std::string> split(const TextPart& part) {
    std::vector<std::string> words;
    analyzer_.split(part.text, words);
    return words;
  }

  std::vector<std::string> analyze(const TextPart& part) {
    std::vector<std::string> terms;
    analyzer_.analyze(part.text, terms);
    return terms;
  }

  TextAnalyzer& analyzer_;
  TextQuery query_;
  WordList words_;  // to look for
  WordList terms_;  // of plain words
  WordList phrase_terms_;
  WordList excluded_terms_;
};

}  // namespace

base::Result<TextQuery> compile_text_query(const About& about, double score_min,
                                           TextAnalyzer& analyzer) {
  return Compiler(analyzer).compile(about, score_min);
}

}  // namespace weir::match
