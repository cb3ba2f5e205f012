// SPDX-License-Identifier: Apache-2.0
#include "protocol/ring.h"

#include <gtest/gtest.h>

#include <set>

namespace weir::protocol {
namespace {

TEST(RingTest, KeysAreTheFirstBitsOfSha1) {
  // FIPS 180: SHA-1("abc") begins with a9993e36 4706816a.
  EXPECT_EQ(Ring().key_of("abc").value, 0xa9993e364706816aU);
  EXPECT_EQ(Ring(8).key_of("abc").value, 0xa9U);
  EXPECT_EQ(Ring(1).key_of("abc").value, 1U);
  EXPECT_EQ(Ring().key_of("").value, 0xda39a3ee5e6b4b0dU);
}

// By definition: walks clockwise, one key after another.
std::set<std::uint64_t> walk(const Ring& ring, KeyArc arc) {
  std::set<std::uint64_t> met;
  Key key = arc.after;
  do {
    key = ring.plus(key, 1);
    met.insert(key.value);
  } while (key != arc.last);
  return met;
}

TEST(RingTest, AnArcHoldsWhatAWalkMeets) {
  const Ring ring(4);
  for (std::uint64_t after = 0; after < 16; ++after) {
    for (std::uint64_t last = 0; last < 16; ++last) {
      const KeyArc arc{.after = {after}, .last = {last}};
      const std::set<std::uint64_t> met = walk(ring, arc);
      for (std::uint64_t key = 0; key < 16; ++key) {
        EXPECT_EQ(ring.contains(arc, {key}), met.contains(key))
            << after << ' ' << last << ' ' << key;
        EXPECT_EQ(ring.is_between({after}, {key}, {last}),
                  met.contains(key) && key != last && key != after)
            << after << ' ' << last << ' ' << key;
      }
    }
  }
}

TEST(RingTest, DistancesAreClockwise) {
  const Ring ring;
  EXPECT_EQ(ring.distance({5}, {7}), 2U);
  EXPECT_EQ(ring.distance({7}, {5}), ~std::uint64_t{0} - 1);
  EXPECT_EQ(ring.plus({~std::uint64_t{0}}, 1).value, 0U);
  EXPECT_EQ(Ring(3).distance({7}, {1}), 2U);
  EXPECT_TRUE(Ring(3).has({7}));
  EXPECT_FALSE(Ring(3).has({8}));
}

}  // namespace
}  // namespace weir::protocol
