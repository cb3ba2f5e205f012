// SPDX-License-Identifier: Apache-2.0
#include "match/text_threshold_terms.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace weir::match {
namespace {

// What a sum of up to `count` scores must be at least, so that the same or smaller scores may add
// up to the threshold in another order: rounding makes less than one epsilon for each of them.
double least_sum(double threshold, std::size_t count) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return threshold / (1.0 + 2.0 * kEpsilon * static_cast<double>(count));
}

// From last to first, so that a window has at least the sum of each that begins later, also as
// rounded.
double sum_from_last(std::span<const ScoredTerm> window) {
  double sum = 0.0;
  for (std::size_t i = window.size(); i > 0; --i) sum += window[i - 1].score;
  return sum;
}

}  // namespace

std::vector<ScoredTerm> scored_terms(const TermCounts& document, const TextCorpus& corpus) {
  std::vector<ScoredTerm> terms;
  terms.reserve(document.counts.size());
  for (const TermCount& count : document.counts) {
    const double weight =
        static_cast<double>(count.frequency) / static_cast<double>(document.frequency_max);
    terms.push_back({.term = count.term, .score = weight * corpus.idf(count.term)});
  }
  std::ranges::sort(terms, [](const ScoredTerm& a, const ScoredTerm& b) {
    return std::tie(b.score, a.term) < std::tie(a.score, b.term);
  });
  return terms;
}

std::size_t threshold_term_count(std::span<const ScoredTerm> terms, const ThresholdRule& rule) {
  WEIR_CHECK(rule.threshold > 0 && rule.length_max > 0);
  const std::size_t window_length = std::min(rule.length_max, terms.size());
  const double least = least_sum(rule.threshold, window_length);
  double sum = 0.0;
  for (std::size_t begin = terms.size(); begin + window_length > terms.size(); --begin) {
    sum += terms[begin - 1].score;
    if (sum >= least) return begin;
  }
  std::size_t low = 0;  // windows before it reach the threshold, those from `high` on do not
  std::size_t high = terms.size() - window_length;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const bool reaches = sum_from_last(terms.subspan(middle, window_length)) >= least;
    (reaches ? low : high) = reaches ? middle + 1 : middle;
  }
  return low;
}

}  // namespace weir::match
