// SPDX-License-Identifier: Apache-2.0
#include "003/forwarding.h"

#include <limits>

namespace weir::lab {
namespace {

constexpr std::array<std::size_t, 5> kLengths{1, 2, 3, 5, 10};
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

}  // namespace

match::ThresholdRule Forwarding::at(double threshold) const {
  if (length == 0) return {.threshold = threshold};
  return {.threshold = threshold, .length_max = rule == "paper" ? length + 1 : length};
}

std::vector<Forwarding> forwardings() {
  std::vector<Forwarding> all;
  for (const std::string_view rule : {"paper", "ours"}) {
    for (const std::size_t length : kLengths) all.push_back({.rule = rule, .length = length});
    all.push_back({.rule = rule, .length = 0});
  }
  return all;
}

FilterIndex::FilterIndex(const QueryLog& log) : places_(log.filters.size(), kNowhere) {
  for (std::size_t i = 0; i < log.filters.size(); ++i) {
    for (const std::string& term : log.filters[i]) filters_by_term_[term].push_back(i);
  }
}

std::vector<Candidate> FilterIndex::candidates(std::span<const match::ScoredTerm> terms) {
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto filters = filters_by_term_.find(terms[i].term);
    if (filters == filters_by_term_.end()) continue;
    for (const std::size_t filter : filters->second) {
      if (places_[filter] == kNowhere) {
        places_[filter] = found.size();
        found.push_back({.filter = filter, .first = i});
      }
      found[places_[filter]].score += terms[i].score;
    }
  }
  for (const Candidate& candidate : found) places_[candidate.filter] = kNowhere;
  return found;
}

}  // namespace weir::lab
