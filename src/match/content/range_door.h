// SPDX-License-Identifier: Apache-2.0
// RangeDoor: which buckets of ranges an event's cell leads to.
//
// Ranges are sorted by their width in cells into classes, and within a class by where they begin:
// class j holds the ranges of more than 2^(j-1) and up to 2^j cells, in groups of 2^j cells. A cell
// leads to two groups of each class, that in which it lies and the one before. (Smaller groups lead
// to fewer ranges in vain, but more of them have to be looked at: no gain at a million.)
//
//   class 3    |  group 0  |  group 1  |  group 2  |  group 3  |
//                    [---range---]                    cells in groups 0 and 1 lead to it
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/heap_bytes.h"
#include "match/content/ids.h"

namespace weir::match::content {

// Where a range is kept, and the cells that lead there.
struct RangeGroup {
  std::uint32_t range_class = 0;
  std::uint32_t group = 0;

  static RangeGroup of(std::size_t first_cell, std::size_t last_cell) {
    const auto range_class = static_cast<std::uint32_t>(std::bit_width(last_cell - first_cell));
    return {range_class, static_cast<std::uint32_t>(first_cell >> range_class)};
  }
  std::size_t first_cell() const { return std::size_t{group} << range_class; }
  std::size_t last_cell() const { return ((std::size_t{group} + 2) << range_class) - 2; }
};

class RangeDoor {
 public:
  // kNoId until it is set.
  BucketId& bucket(const RangeGroup& group) {
    auto& buckets = classes_[group.range_class];
    if (group.group >= buckets.size()) buckets.resize(group.group + 1, kNoId);
    used_ |= 1U << group.range_class;
    return buckets[group.group];
  }

  template <typename Visit>
  void for_each_bucket(std::size_t cell, Visit&& visit) const {
    for (std::uint32_t used = used_; used != 0; used &= used - 1) {
      const auto range_class = static_cast<std::uint32_t>(std::countr_zero(used));
      const auto& buckets = classes_[range_class];
      const std::size_t width = std::size_t{1} << range_class;
      const std::size_t first = cell < width ? 0 : (cell - width + 1) >> range_class;
      const std::size_t end = std::min((cell >> range_class) + 1, buckets.size());
      for (std::size_t i = first; i < end; ++i) {
        if (buckets[i] != kNoId) visit(buckets[i]);
      }
    }
  }

  std::size_t memory_bytes() const {
    std::size_t bytes = 0;
    for (const auto& buckets : classes_) bytes += base::heap_bytes(buckets);
    return bytes;
  }

 private:
  static constexpr std::size_t kClassCount = 9;  // for 256 cells

  std::array<std::vector<BucketId>, kClassCount> classes_;  // by group
  std::uint32_t used_ = 0;                                  // a bit for each class in use
};

}  // namespace weir::match::content
