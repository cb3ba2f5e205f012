// SPDX-License-Identifier: Apache-2.0
#include "match/text_distance.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::match {
namespace {

// Terms that weigh something, ascending.
using Weights = std::vector<std::pair<std::string_view, double>>;

Weights weights_of(const TermCounts& document, const TextCorpus& corpus) {
  Weights weights;
  for (const TermCount& count : document.counts) {
    const double share =
        static_cast<double>(count.frequency) / static_cast<double>(document.frequency_max);
    const double weight = share * corpus.idf(count.term);
    if (weight > 0) weights.emplace_back(count.term, weight);
  }
  return weights;
}

double square(const Weights& weights) {
  double sum = 0;
  for (const auto& [term, weight] : weights) sum += weight * weight;
  return sum;
}

double product(const Weights& left, const Weights& right) {
  double sum = 0;
  auto other = right.begin();
  for (const auto& [term, weight] : left) {
    while (other != right.end() && other->first < term) ++other;
    if (other != right.end() && other->first == term) sum += weight * other->second;
  }
  return sum;
}

}  // namespace

double text_distance(const TermCounts& left, const TermCounts& right, const TextCorpus& corpus) {
  const Weights left_weights = weights_of(left, corpus);
  const Weights right_weights = weights_of(right, corpus);
  if (left_weights == right_weights) return 0;
  const double common = product(left_weights, right_weights);
  if (common == 0) return 1;
  const double cosine = common / std::sqrt(square(left_weights)) / std::sqrt(square(right_weights));
  return std::clamp(1 - cosine, 0.0, 1.0);
}

TermCounts bounded(TermCounts document, std::size_t term_count_max) {
  std::vector<TermCount>& counts = document.counts;
  if (counts.size() <= term_count_max) return document;
  std::ranges::sort(counts, [](const TermCount& left, const TermCount& right) {
    return left.frequency != right.frequency ? left.frequency > right.frequency
                                             : left.term < right.term;
  });
  counts.resize(term_count_max);
  std::ranges::sort(counts, {}, &TermCount::term);
  return document;
}

}  // namespace weir::match
