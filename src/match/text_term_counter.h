// SPDX-License-Identifier: Apache-2.0
// TextTermCounter: counts the terms of some texts.
//
// Words are counted by their ids in the analyzer's table, so that only different ones are looked
// up, copied and sorted. Costs the analysis, and n log n for n different terms. Single-threaded.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "match/text_analyzer.h"
#include "match/text_corpus.h"

namespace weir::match {

class TextTermCounter {
 public:
  // Stops soon after there are more than so many different terms.
  void count(std::string_view text, TextAnalyzer& analyzer,
             std::size_t term_count_max = std::numeric_limits<std::size_t>::max());
  // Different terms so far.
  std::size_t term_count() const { return counted_.size(); }
  // What was counted, and begins anew.
  TermCounts take();
  // Begins anew.
  void drop();

 private:
  std::uint32_t place_of(std::string_view term);
  void forget_ids();

  const TextAnalyzer* analyzer_ = nullptr;  // whose ids are known
  std::uint64_t generation_ = 0;
  std::vector<std::uint32_t> places_;  // by id: behind its place in counted_; 0: it has none
  std::vector<std::uint32_t> ids_;     // that have one
  std::vector<TermCount> counted_;     // in the order they came; a term may have several ids
  boost::unordered_flat_map<std::string, std::uint32_t, base::StringHash, std::equal_to<>>
      terms_;  // their places, as in places_
};

// The terms of several documents as one.
TermCounts merge_terms(const std::vector<const TermCounts*>& documents);

}  // namespace weir::match
