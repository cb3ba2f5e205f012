// SPDX-License-Identifier: Apache-2.0
// TermFrequencies: in how many of the latest documents terms were, of numbered terms.
//
// A count is halved with every kPeriod documents: what was long ago hardly counts. It is done when
// a term is next looked at, so that no document pays for all terms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "match/text/text_filter.h"

namespace weir::match::text {

class TermFrequencies {
 public:
  static constexpr std::uint64_t kPeriod = 4096;
  static constexpr std::uint64_t kMeasuredCount = 1024;

  void resize(std::size_t term_count) { counts_.resize(term_count); }
  void begin_document() { period_ = static_cast<std::uint32_t>(document_count_++ / kPeriod); }
  void count(TermId term) {
    Count& count = counts_[term];
    count = {period_, now(count) + 1};
  }
  // Of a number that is given to another term.
  void forget(TermId term) { counts_[term] = {}; }

  std::uint32_t at(TermId term) const { return now(counts_[term]); }
  // Whether there were enough documents to tell what is rare.
  bool is_measured() const { return document_count_ >= kMeasuredCount; }
  std::size_t memory_bytes() const { return counts_.capacity() * sizeof(Count); }

 private:
  struct Count {
    std::uint32_t period = 0;  // when it was last counted
    std::uint32_t count = 0;
  };

  std::uint32_t now(const Count& count) const {
    return count.count >> std::min(period_ - count.period, 31U);
  }

  std::vector<Count> counts_;  // by term
  std::uint64_t document_count_ = 0;
  std::uint32_t period_ = 0;
};

}  // namespace weir::match::text
