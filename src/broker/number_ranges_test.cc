// SPDX-License-Identifier: Apache-2.0
#include "broker/number_ranges.h"

#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"

namespace weir::broker {
namespace {

TEST(NumberRangesTest, AgreesWithASetAndItsBytesReadBack) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    NumberRanges ranges;
    std::set<std::uint64_t> model;
    const std::uint64_t base = prng.below(1000);
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t number = base + 1 + prng.below(80);
      if (model.insert(number).second) ranges.insert(number);
    }
    for (std::uint64_t number = base; number < base + 90; ++number) {
      ASSERT_EQ(ranges.contains(number), model.contains(number)) << number;
    }
    EXPECT_EQ(ranges.number_count(), model.size());
    EXPECT_EQ(ranges.last(), *model.rbegin());
    const auto again = NumberRanges::decode(ranges.encode(base), base);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->encode(base), ranges.encode(base));
    EXPECT_EQ(again->range_count(), ranges.range_count());
  }
}

TEST(NumberRangesTest, RangesThatTouchAreOne) {
  NumberRanges ranges;
  ranges.insert(5);
  ranges.insert(7);
  EXPECT_EQ(ranges.range_count(), 2U);
  ranges.insert(6);
  EXPECT_EQ(ranges.range_count(), 1U);
  EXPECT_EQ(ranges.take_from(4), 0U);
  EXPECT_EQ(ranges.take_from(5), 7U);
  EXPECT_TRUE(ranges.empty());
}

TEST(NumberRangesTest, TheBytesAreAsDocumented) {
  NumberRanges ranges;
  ranges.insert(12, 14);
  ranges.insert(300);
  EXPECT_EQ(ranges.encode(10), std::string("\x02\x02\x9e\x02\x00", 5));
}

TEST(NumberRangesTest, RefusesBytesThatAreNoRanges) {
  using namespace std::string_view_literals;
  for (const std::string_view bytes : {"\x01"sv, "\x00\x00"sv, "\x80"sv, "\x01\x80"sv,
                                       "\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01"sv,
                                       "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"sv}) {
    EXPECT_FALSE(NumberRanges::decode(bytes, 3)) << bytes.size();
  }
  EXPECT_TRUE(NumberRanges::decode({}, 3)->empty());
}

}  // namespace
}  // namespace weir::broker
