// SPDX-License-Identifier: Apache-2.0
#include "match/content/range_door.h"

#include <gtest/gtest.h>

#include <vector>

#include "match/content/grid.h"

namespace weir::match::content {
namespace {

constexpr std::size_t kCellCount = Grid::kCellCountMax;

// Gives every group of every range a bucket of its own, and asks every cell where it leads to.
struct AllRanges {
  AllRanges() {
    for (std::size_t first = 0; first < kCellCount; ++first) {
      for (std::size_t last = first; last < kCellCount; ++last) {
        const RangeGroup group = RangeGroup::of(first, last);
        BucketId& bucket = door.bucket(group);
        if (bucket != kNoId) continue;
        bucket = static_cast<BucketId>(groups.size());
        groups.push_back(group);
      }
    }
    leads.assign(groups.size(), std::vector<bool>(kCellCount));
    for (std::size_t cell = 0; cell < kCellCount; ++cell) {
      door.for_each_bucket(cell, [&](BucketId bucket) {
        EXPECT_FALSE(leads[bucket][cell]) << "twice";
        leads[bucket][cell] = true;
      });
    }
  }

  RangeDoor door;
  std::vector<RangeGroup> groups;        // by bucket
  std::vector<std::vector<bool>> leads;  // by bucket and cell
};

TEST(RangeDoorTest, EveryCellOfARangeLeadsToIt) {
  AllRanges all;
  for (std::size_t first = 0; first < kCellCount; ++first) {
    for (std::size_t last = first; last < kCellCount; ++last) {
      const BucketId bucket = all.door.bucket(RangeGroup::of(first, last));
      for (std::size_t cell = first; cell <= last; ++cell) {
        ASSERT_TRUE(all.leads[bucket][cell]) << first << " to " << last << ", cell " << cell;
      }
    }
  }
}

TEST(RangeDoorTest, AGroupKnowsTheCellsThatLeadToIt) {
  const AllRanges all;
  for (std::size_t bucket = 0; bucket < all.groups.size(); ++bucket) {
    const RangeGroup& group = all.groups[bucket];
    for (std::size_t cell = 0; cell < kCellCount; ++cell) {
      ASSERT_EQ(all.leads[bucket][cell], cell >= group.first_cell() && cell <= group.last_cell())
          << "class " << group.range_class << ", group " << group.group << ", cell " << cell;
    }
  }
}

TEST(RangeDoorTest, FewCellsBesidesItsOwnLeadToARange) {
  for (std::size_t first = 0; first < kCellCount; ++first) {
    for (std::size_t last = first; last < kCellCount; ++last) {
      const RangeGroup group = RangeGroup::of(first, last);
      const std::size_t cell_count = group.last_cell() - group.first_cell() + 1;
      const std::size_t width = std::size_t{1} << group.range_class;
      ASSERT_GE(width, last - first + 1);
      ASSERT_LT(width, 2 * (last - first + 1));
      ASSERT_LT(cell_count, 2 * width);
    }
  }
}

TEST(RangeDoorTest, ADoorThatWasNeverSetLeadsNowhere) {
  RangeDoor door;
  EXPECT_EQ(door.bucket(RangeGroup::of(200, 210)), kNoId);
  for (std::size_t cell = 0; cell < kCellCount; ++cell) {
    door.for_each_bucket(cell, [&](BucketId /*bucket*/) { ADD_FAILURE() << cell; });
  }
}

}  // namespace
}  // namespace weir::match::content
