// SPDX-License-Identifier: Apache-2.0
#include "protocol/segment_map.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/prng.h"

namespace weir::protocol {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(SegmentMapTest, ASegmentBeginsAtTheSourcesKey) {
  const Ring ring;
  const SegmentMap map(ring, {.length = 1000, .value_max = 500});
  const Key first = ring.key_of("INTC");
  EXPECT_EQ(map.key_of("INTC", 0), first);
  EXPECT_EQ(map.key_of("INTC", 1), ring.plus(first, 2));
  EXPECT_EQ(map.key_of("INTC", 500), ring.plus(first, 1000));
  EXPECT_EQ(map.key_of("INTC", 501), ring.plus(first, 1000));
  EXPECT_NE(map.key_of("YHOO", 0), first);
}

TEST(SegmentMapTest, KeepsTheOrderOfValuesAndStaysWithinTheSegment) {
  for (const unsigned bits : {4U, 10U, 64U}) {
    const Ring ring(bits);
    base::Prng prng(bits);
    for (int i = 0; i < 200; ++i) {
      const SegmentMap map(ring, {.length = prng.next() % ring.mask(),
                                  .value_max = 1 + (prng.next() >> (prng.next() % 64)) % kLargest});
      const KeyArc segment = map.segment_of("x");
      std::uint64_t value = 0;
      std::uint64_t last_distance = 0;
      for (int j = 0; j < 50; ++j) {
        const Key key = map.key_of("x", value);
        const std::uint64_t distance = ring.distance(ring.key_of("x"), key);
        EXPECT_GE(distance, last_distance);
        EXPECT_TRUE(ring.contains(segment, key));
        last_distance = distance;
        value += prng.next() >> 8U >> (prng.next() % 56);
      }
    }
  }
}

TEST(SegmentMapTest, IsExactForTheLargestNumbers) {
  const Ring ring;
  const SegmentMap map(ring, {.length = kLargest - 1, .value_max = kLargest});
  const Key first = ring.key_of("x");
  EXPECT_EQ(ring.distance(first, map.key_of("x", kLargest)), kLargest - 1);
  EXPECT_EQ(ring.distance(first, map.key_of("x", kLargest - 1)), kLargest - 2);
  EXPECT_EQ(ring.distance(first, map.key_of("x", 1)), 0U);
}

TEST(SegmentMapTest, ASegmentHoldsOneMoreKeyThanItsLength) {
  const Ring ring(6);
  for (std::uint64_t length = 0; length < ring.mask(); ++length) {
    const SegmentMap map(ring, {.length = length, .value_max = 7});
    std::uint64_t count = 0;
    for (std::uint64_t key = 0; key <= ring.mask(); ++key) {
      count += ring.contains(map.segment_of("x"), {key}) ? 1U : 0U;
    }
    EXPECT_EQ(count, length + 1);
  }
}

}  // namespace
}  // namespace weir::protocol
