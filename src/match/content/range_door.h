// SPDX-License-Identifier: Apache-2.0
// RangeDoor: which buckets of ranges an event's cell leads to.
//
// Ranges are sorted by their width in cells into classes, and within a class by where they begin:
// class j holds the ranges of more than 2^(j-1) and up to 2^j cells, in groups of 2^j cells, or of
// a half or a quarter of that: with so many more groups for a cell to lead to, but fewer ranges in
// them that do not hold it.
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

#include "match/content/ids.h"

namespace weir::match::content {

// Where a range is kept, and the cells that lead there.
struct RangeGroup {
  std::uint32_t range_class = 0;
  std::uint32_t group = 0;
  std::uint32_t shift = 0;  // a group has 2^shift cells

  std::size_t first_cell() const { return std::size_t{group} << shift; }
  std::size_t last_cell() const {
    const std::size_t width = std::size_t{1} << range_class;
    return ((std::size_t{group} + 1) << shift) + width - 2;
  }
};

class RangeDoor {
 public:
  static constexpr std::uint32_t kFinenessMax = 2;

  // Groups are 2^fineness times smaller than the classes' width.
  explicit RangeDoor(std::uint32_t fineness) : fineness_(fineness) {}

  RangeGroup group_of(std::size_t first_cell, std::size_t last_cell) const {
    const auto range_class = static_cast<std::uint32_t>(std::bit_width(last_cell - first_cell));
    const std::uint32_t shift = shift_of(range_class);
    return {range_class, static_cast<std::uint32_t>(first_cell >> shift), shift};
  }
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
      const std::uint32_t shift = shift_of(range_class);
      const std::size_t width = std::size_t{1} << range_class;
      const std::size_t first = cell < width ? 0 : (cell - width + 1) >> shift;
      const std::size_t end = std::min((cell >> shift) + 1, buckets.size());
      for (std::size_t i = first; i < end; ++i) {
        if (buckets[i] != kNoId) visit(buckets[i]);
      }
    }
  }

 private:
  static constexpr std::size_t kClassCount = 9;  // for 256 cells

  std::uint32_t shift_of(std::uint32_t range_class) const {
    return range_class > fineness_ ? range_class - fineness_ : 0;
  }

  std::array<std::vector<BucketId>, kClassCount> classes_;  // by group
  std::uint32_t used_ = 0;                                  // a bit for each class in use
  std::uint32_t fineness_;
};

}  // namespace weir::match::content
