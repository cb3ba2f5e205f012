// SPDX-License-Identifier: Apache-2.0
#include "match/text_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace weir::match {
namespace {

using filter::About;
using Failed = std::pair<TextFailure, std::string>;

const Failed kNothingFailed = {TextFailure::kNone, {}};

std::string shown(const TextPhrase& phrase) { return fmt::format("{}", fmt::join(phrase, " ")); }

class Conditions {
 public:
  Conditions(const TextQuery& query, const TermCounts& document, const TextWords& words)
      : query_(query), document_(document), words_(words) {}

  // The first that is not met, the score apart.
  Failed failed() const {
    if (Failed one = excluded(); one != kNothingFailed) return one;
    if (query_.mode == About::Mode::kAny) return none_of_them();
    for (const TextPhrase& phrase : query_.phrases) {
      if (!has(phrase)) return {TextFailure::kMissingPhrase, shown(phrase)};
    }
    if (query_.mode == About::Mode::kScore) return kNothingFailed;
    for (const std::string& term : query_.terms) {
      if (!has(term)) return {TextFailure::kMissingTerm, term};
    }
    return kNothingFailed;
  }

 private:
  Failed excluded() const {
    for (const std::string& term : query_.excluded_terms) {
      if (has(term)) return {TextFailure::kExcludedTerm, term};
    }
    for (const TextPhrase& phrase : query_.excluded_phrases) {
      if (has(phrase)) return {TextFailure::kExcludedPhrase, shown(phrase)};
    }
    return kNothingFailed;
  }

  Failed none_of_them() const {
    const auto plain = std::span(query_.terms).first(query_.plain_term_count);
    const auto is_there = [this](const auto& one) { return has(one); };
    const bool any =
        std::ranges::any_of(plain, is_there) || std::ranges::any_of(query_.phrases, is_there);
    return any ? kNothingFailed : Failed{TextFailure::kNoneOfThem, {}};
  }

  bool has(const std::string& term) const { return document_.frequency(term) > 0; }
  bool has(const TextPhrase& phrase) const { return has_phrase(words_, phrase); }

  const TextQuery& query_;
  const TermCounts& document_;
  const TextWords& words_;
};

}  // namespace

TextMatchInfo judge(const TextQuery& query, const TermCounts& document, const TextWords& words,
                    const TextCorpus& corpus) {
  TextScore scored = score(query.terms, document, corpus);
  TextMatchInfo info;
  info.shares = std::move(scored.shares);
  info.score_min = query.score_min.value_or(0);
  std::tie(info.failure, info.failed) = Conditions(query, document, words).failed();
  const bool is_low = query.score_min && scored.total < *query.score_min;
  if (info.failure == TextFailure::kNone && is_low) info.failure = TextFailure::kLowScore;
  info.verdict = {info.failure == TextFailure::kNone, scored.total, corpus.epoch().number};
  return info;
}

bool has_phrase(const TextWords& words, const TextPhrase& phrase) {
  const PhraseFinder finder(phrase);
  return std::ranges::any_of(words, [&](const std::vector<std::string>& string) {
    bool found = false;
    finder.for_each(
        string.size(), [&](std::size_t i) -> const std::string& { return string[i]; },
        [&](std::size_t) {
          found = true;
          return false;
        });
    return found;
  });
}

}  // namespace weir::match
