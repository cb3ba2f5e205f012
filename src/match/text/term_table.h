// SPDX-License-Identifier: Apache-2.0
// TermTable: numbers for the terms that filters use.
//
// Terms are counted: a term that its last filter has released is gone, and its number is given to
// another. About 50 bytes per term, more if it is long. Single-threaded.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "match/text/text_filter.h"

namespace weir::match::text {

class TermTable {
 public:
  TermTable();

  // Each acquire needs one release.
  TermId acquire(std::string_view term);
  // True if the term is gone now.
  bool release(TermId id);
  // kNoId if no filter uses it.
  TermId find(std::string_view term) const;

  // Valid until the next acquire or release.
  std::string_view term(TermId id) const { return (*terms_)[id]; }
  std::uint32_t use_count(TermId id) const { return use_counts_[id]; }
  std::size_t size() const { return ids_.size(); }
  // All numbers are below it.
  std::size_t id_end() const { return use_counts_.size(); }
  std::size_t memory_bytes() const;

 private:
  using Terms = std::vector<std::string>;
  // A number stands for its term: the set keeps no second copy of it.
  struct Hash {
    using is_transparent = void;
    using is_avalanching = void;

    const Terms* terms;

    std::size_t operator()(std::string_view term) const { return base::StringHash{}(term); }
    std::size_t operator()(TermId id) const { return (*this)((*terms)[id]); }
  };
  struct Equal {
    using is_transparent = void;

    const Terms* terms;

    bool operator()(TermId left, TermId right) const { return left == right; }
    bool operator()(std::string_view left, TermId right) const { return left == (*terms)[right]; }
    bool operator()(TermId left, std::string_view right) const { return (*terms)[left] == right; }
  };

  TermId new_id();

  std::unique_ptr<Terms> terms_;  // by number; the set points to it
  std::vector<std::uint32_t> use_counts_;
  std::vector<TermId> free_;
  boost::unordered_flat_set<TermId, Hash, Equal> ids_;
};

}  // namespace weir::match::text
