// SPDX-License-Identifier: Apache-2.0
// NumberRanges: a set of numbers as disjoint ranges that never touch, ascending.
//
// Costs a tree lookup per insertion; memory by the number of ranges, not of numbers. The bytes are
// those of `settled_beyond` in docs/formats/registry.md. Single-threaded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::broker {

class NumberRanges {
 public:
  // Reads what encode(base) wrote.
  static base::Result<NumberRanges> decode(std::string_view bytes, std::uint64_t base);
  // Every number must be greater than `base`.
  std::string encode(std::uint64_t base) const;

  void insert(std::uint64_t number) { insert(number, number); }
  // Requires first <= last, and that none of these numbers is in the set.
  void insert(std::uint64_t first, std::uint64_t last);
  bool contains(std::uint64_t number) const;
  // Removes the first range if it begins with this number, and returns its last number; else 0.
  std::uint64_t take_from(std::uint64_t first);

  bool empty() const { return ranges_.empty(); }
  std::size_t range_count() const { return ranges_.size(); }
  std::uint64_t last() const { return ranges_.empty() ? 0 : ranges_.rbegin()->second; }
  std::uint64_t number_count() const;

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first to last
};

}  // namespace weir::broker
