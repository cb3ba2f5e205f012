// SPDX-License-Identifier: Apache-2.0
#include "base/prng.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

namespace weir::base {
namespace {

// The first outputs of the reference implementation of splitmix64.
TEST(PrngTest, IsSplitmix64) {
  Prng zero(0);
  for (const std::uint64_t expected :
       {0xE220A8397B1DCDAFU, 0x6E789E6AA1B965F4U, 0x06C45D188009454FU, 0xF88BB8A8724C81ECU}) {
    EXPECT_EQ(zero.next(), expected);
  }
  Prng other(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
        16408922859458223821U}) {
    EXPECT_EQ(other.next(), expected);
  }
}

TEST(PrngTest, DrawsFractionsFromTheUpperBits) {
  Prng prng(0);
  EXPECT_EQ(prng.fraction(), static_cast<double>(0xE220A8397B1DCDAFU >> 11U) / 0x1.0p53);
  for (int i = 0; i < 100'000; ++i) {
    const double fraction = prng.fraction();
    ASSERT_GE(fraction, 0.0);
    ASSERT_LT(fraction, 1.0);
  }
}

TEST(PrngTest, StaysBelowABound) {
  Prng prng(7);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t bound :
       {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 53U, (std::uint64_t{1} << 53U) + 3,
        (std::uint64_t{1} << 63U) + 1025, kMax - 1, kMax}) {
    for (int i = 0; i < 10'000; ++i) ASSERT_LT(prng.below(bound), bound);
  }
}

TEST(PrngTest, ReachesEveryValueBelowABoundAboutEquallyOften) {
  Prng prng(7);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[prng.below(counts.size())];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(PrngTest, TakesChancesByTheirProbability) {
  Prng prng(7);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_FALSE(prng.chance(0.0));
    EXPECT_TRUE(prng.chance(1.0));
    hits += prng.chance(0.25) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 25'000, 1'000);
}

}  // namespace
}  // namespace weir::base
