// SPDX-License-Identifier: Apache-2.0
// DocumentShares: the share of each term in the document at hand, by the term's number, and which
// terms it has: in a bit for each, so that asking for a term that is not there reads little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match/text/text_filter.h"

namespace weir::match::text {

class DocumentShares {
 public:
  void resize(std::size_t term_count) {
    shares_.resize(term_count);
    present_.resize(term_count / kWordBits + 1);
  }
  void set(std::span<const DocumentTerm> document) {
    for (const auto& [term, share] : document) {
      shares_[term] = share;
      present_[term / kWordBits] |= bit_of(term);
    }
  }
  void clear(std::span<const DocumentTerm> document) {
    for (const DocumentTerm& term : document) {
      shares_[term.term] = 0;
      present_[term.term / kWordBits] = 0;
    }
  }

  // 0 for a term that the document does not have.
  double operator[](TermId term) const { return shares_[term]; }
  bool has(TermId term) const { return (present_[term / kWordBits] & bit_of(term)) != 0; }
  std::size_t memory_bytes() const {
    return shares_.capacity() * sizeof(double) + present_.capacity() * sizeof(std::uint64_t);
  }

 private:
  static constexpr TermId kWordBits = 64;

  static std::uint64_t bit_of(TermId term) { return std::uint64_t{1} << (term % kWordBits); }

  std::vector<double> shares_;          // by term
  std::vector<std::uint64_t> present_;  // a bit for each term
};

}  // namespace weir::match::text
