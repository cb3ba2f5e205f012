// SPDX-License-Identifier: Apache-2.0
// Default forwarding, as far as it needs no network: by which of a document's terms it is
// forwarded, and which matches that dismisses.
//
// A document goes to the home nodes of its threshold terms, and a filter is registered at those of
// all its terms. So a match is dismissed if the filter has none of the threshold terms.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "003/workload.h"
#include "base/hash.h"
#include "match/text_threshold_terms.h"

namespace weir::lab {

inline constexpr std::array<double, 7> kThresholds{0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0};

// By which terms documents are forwarded. `length` is |f|_s, the expected length of filters, 0 for
// any. The paper's Algorithm 2 takes windows of one term more than we do.
struct Forwarding {
  std::string_view rule;  // "ours" or "paper"
  std::size_t length = 0;

  match::ThresholdRule at(double threshold) const;
};
std::vector<Forwarding> forwardings();

// A filter that has a term of the document.
struct Candidate {
  std::size_t filter = 0;
  std::size_t first = 0;  // place of its highest-scored term among the document's
  double score = 0;       // TotalScore(f, d)
};

class FilterIndex {
 public:
  // Keeps a reference to the log.
  explicit FilterIndex(const QueryLog& log);

  // In the order of `first`; each filter once.
  std::vector<Candidate> candidates(std::span<const match::ScoredTerm> terms);

 private:
  boost::unordered_flat_map<std::string_view, std::vector<std::size_t>, base::StringHash,
                            std::equal_to<>>
      filters_by_term_;
  std::vector<std::size_t> places_;  // of a filter among the candidates
};

}  // namespace weir::lab
