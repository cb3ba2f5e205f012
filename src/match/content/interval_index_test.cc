// SPDX-License-Identifier: Apache-2.0
#include "match/content/interval_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

using event::Value;

constexpr std::uint64_t kKeyMax = ~std::uint64_t{0};

std::vector<ConjunctionId> containing(const IntervalIndex& index, std::uint64_t key) {
  std::vector<ConjunctionId> ids;
  index.for_each_containing(key, [&](ConjunctionId id) { ids.push_back(id); });
  std::ranges::sort(ids);
  return ids;
}

TEST(IntervalIndexTest, FindsExactlyTheIntervalsAroundAKey) {
  IntervalIndex index;
  index.add({10, 20}, 0);
  index.add({20, 20}, 1);
  index.add({21, 21}, 2);
  index.add({0, kKeyMax}, 3);
  index.add({15, kKeyMax}, 4);
  index.add({0, 14}, 5);
  EXPECT_EQ(containing(index, 9), (std::vector<ConjunctionId>{3, 5}));
  EXPECT_EQ(containing(index, 10), (std::vector<ConjunctionId>{0, 3, 5}));
  EXPECT_EQ(containing(index, 20), (std::vector<ConjunctionId>{0, 1, 3, 4}));
  EXPECT_EQ(containing(index, 21), (std::vector<ConjunctionId>{2, 3, 4}));
  EXPECT_EQ(containing(index, 0), (std::vector<ConjunctionId>{3, 5}));
  EXPECT_EQ(containing(index, kKeyMax), (std::vector<ConjunctionId>{3, 4}));
}

// Keys of few bits meet at their ends all the time; shifted, they do so on the upper levels.
TEST(IntervalIndexTest, AgreesWithAScanWhileIntervalsComeAndGo) {
  for (const unsigned shift : {0U, 30U, 58U}) {
    SCOPED_TRACE(shift);
    base::Prng prng(shift + 1);
    IntervalIndex index;
    std::map<ConjunctionId, KeyInterval> all;
    for (ConjunctionId id = 0; id < 3000; ++id) {
      const auto [low, high] = std::minmax({prng.below(64) << shift, prng.below(64) << shift});
      all[id] = {low, high};
      index.add(all[id], id);
      if (prng.chance(0.4)) {
        const auto gone =
            std::next(all.begin(), static_cast<std::ptrdiff_t>(prng.below(all.size())));
        index.remove(gone->second, gone->first);
        all.erase(gone);
      }
      const std::uint64_t key = prng.below(64) << shift;
      std::vector<ConjunctionId> expected;
      for (const auto& [other, interval] : all) {
        if (interval.low <= key && key <= interval.high) expected.push_back(other);
      }
      ASSERT_EQ(containing(index, key), expected) << id;
    }
    for (const auto& [id, interval] : all) index.remove(interval, id);
    EXPECT_TRUE(index.empty());
  }
}

TEST(IntervalIndexTest, KeysKeepTheOrderOfNumbers) {
  const std::array ascending = {Value::of(-std::numeric_limits<double>::infinity()),
                                Value::of(-1e300),
                                Value::of(std::numeric_limits<std::int64_t>::min()),
                                Value::of(-1.5),
                                Value::of(std::int64_t{-1}),
                                Value::of(-5e-324),
                                Value::of(-0.0),
                                Value::of(std::int64_t{0}),
                                Value::of(5e-324),
                                Value::of(0.5),
                                Value::of(std::int64_t{1}),
                                Value::of(9007199254740992.0),
                                Value::of(std::int64_t{9007199254740993}),
                                Value::of(std::numeric_limits<std::int64_t>::max()),
                                Value::of(9223372036854775808.0),
                                Value::of(1e300),
                                Value::of(std::numeric_limits<double>::infinity())};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LE(order_key(ascending[i - 1]), order_key(ascending[i])) << i;
  }
  EXPECT_EQ(order_key(Value::of(-0.0)), order_key(Value::of(std::int64_t{0})));
  EXPECT_LT(order_key(Value::of(0.5)), order_key(Value::of(std::int64_t{1})));
}

TEST(IntervalIndexTest, KeysKeepTheOrderOfTimestamps) {
  using event::Timestamp;
  const std::array<Timestamp, 8> ascending = {{{std::numeric_limits<std::int64_t>::min(), 7},
                                               {-62'167'219'200, 0},
                                               {-1, 999'999'999},
                                               {0, 0},
                                               {0, 64},
                                               {0, 999'999'999},
                                               {253'402'300'799, 0},
                                               {std::numeric_limits<std::int64_t>::max(), 0}}};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(order_key(Value::of(ascending[i - 1])), order_key(Value::of(ascending[i]))) << i;
  }
}

TEST(SortedListTest, AgreesWithASet) {
  base::Prng prng(5);
  SortedList<std::uint64_t> list;
  std::set<std::uint64_t> set;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t item = prng.below(5000);
    if (set.erase(item) > 0) {
      list.remove(item);
    } else {
      set.insert(item);
      list.add(item);
    }
  }
  std::vector<std::uint64_t> up;
  list.scan_up([&](std::uint64_t item) { return item < 4000 && (up.push_back(item), true); });
  EXPECT_EQ(up, std::vector(set.begin(), set.lower_bound(4000)));
  std::vector<std::uint64_t> down;
  list.scan_down([&](std::uint64_t item) { return item >= 1000 && (down.push_back(item), true); });
  std::ranges::reverse(down);
  EXPECT_EQ(down, std::vector(set.lower_bound(1000), set.end()));
  for (const std::uint64_t item : set) list.remove(item);
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace weir::match::content
