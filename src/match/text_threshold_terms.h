// SPDX-License-Identifier: Apache-2.0
// Threshold terms (TTerms): those of a document's terms that tell whom it may be for.
//
// Every filter with a threshold of at least T that the document matches has one of them, whatever
// its terms are, and its highest-scored term is one. So a document need only be shown to those who
// keep filters by these terms. With scores s_1 >= ... >= s_n they are t_1 to t_i for the largest i
//
//   for filters of any length         with  s_i + ... + s_n                >= T
//   for filters of at most L terms    with  s_i + ... + s_min(i + L - 1, n) >= T
//
// and none if no i does. No smaller i would do: the terms of that sum could be a filter.
//
// Paper: STAIRS, sections II.C and II.D; Algorithm 1 is the first rule. Algorithm 2 adds up L + 1
// terms where the text, and we, add up L; so it has more terms than needed. Sums are taken as large
// as rounding could have made them for the filter, so that none is missed by its last bit.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "match/text_corpus.h"

namespace weir::match {

struct ScoredTerm {
  std::string term;
  double score = 0.0;  // score(t, d)

  bool operator==(const ScoredTerm&) const = default;
};

// A document's terms by falling score, equal ones by term; of a filter's, the first in this order
// is its dissemination term (DTerm). The document has been added to the corpus.
std::vector<ScoredTerm> scored_terms(const TermCounts& document, const TextCorpus& corpus);

inline constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

struct ThresholdRule {
  double threshold = 0.0;               // T, above 0
  std::size_t length_max = kAnyLength;  // L, at least 1: how many terms a filter may have
};

// How many of the terms, which are in the order of scored_terms(), are threshold terms: the first.
// Costs: for any length, up to n additions; else up to L * log2(n).
std::size_t threshold_term_count(std::span<const ScoredTerm> terms, const ThresholdRule& rule);

}  // namespace weir::match
