// SPDX-License-Identifier: Apache-2.0
// DocumentShares: the share of each term in the document at hand, by the term's number.
//
// A term that is not in the document has the share -0.0: adding it changes no sum, not even one of
// 0, and its sign tells it from a term whose share is 0.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "match/text/text_filter.h"

namespace weir::match::text {

class DocumentShares {
 public:
  static constexpr double kAbsent = -0.0;

  void resize(std::size_t term_count) { shares_.resize(term_count, kAbsent); }
  void set(std::span<const DocumentTerm> document) {
    for (const auto& [term, share] : document) shares_[term] = share + 0.0;  // -0.0 is 0 then
  }
  void clear(std::span<const DocumentTerm> document) {
    for (const DocumentTerm& term : document) shares_[term.term] = kAbsent;
  }

  double operator[](TermId term) const { return shares_[term]; }
  bool has(TermId term) const { return !std::signbit(shares_[term]); }
  std::size_t memory_bytes() const { return shares_.capacity() * sizeof(double); }

 private:
  std::vector<double> shares_;  // by term
};

}  // namespace weir::match::text
