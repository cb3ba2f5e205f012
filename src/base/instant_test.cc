// SPDX-License-Identifier: Apache-2.0
#include "base/instant.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace weir::base {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST(InstantTest, AddsAndSubtracts) {
  const Instant start{1'000};
  EXPECT_EQ(start + Duration::milliseconds(2), Instant{2'001'000});
  EXPECT_EQ(start + Duration{-400}, Instant{600});
  EXPECT_EQ(Instant{2'001'000} - start, Duration::milliseconds(2));
  EXPECT_EQ(start - Instant{1'500}, Duration{-500});
}

TEST(InstantTest, Compares) {
  EXPECT_LT(Instant{1}, Instant{2});
  EXPECT_GT(Duration::seconds(1), Duration::milliseconds(999));
  EXPECT_EQ(Duration::seconds(1), Duration::milliseconds(1'000));
}

TEST(InstantTest, SaturatesWhenAdding) {
  EXPECT_EQ(Instant{kMax} + Duration{1}, Instant{kMax});
  EXPECT_EQ(Instant{kMax - 1} + Duration{1}, Instant{kMax});
  EXPECT_EQ(Instant{kMin} + Duration{-1}, Instant{kMin});
  EXPECT_EQ(Instant{kMin + 1} + Duration{-1}, Instant{kMin});
  EXPECT_EQ(Instant{kMax} + Duration{kMin}, Instant{-1});
  EXPECT_EQ(Instant{kMax} + Duration{kMax}, Instant{kMax});
}

TEST(InstantTest, SaturatesWhenSubtracting) {
  EXPECT_EQ(Instant{kMax} - Instant{-1}, Duration{kMax});
  EXPECT_EQ(Instant{kMin} - Instant{1}, Duration{kMin});
  EXPECT_EQ(Instant{0} - Instant{kMin}, Duration{kMax});
  EXPECT_EQ(Instant{-1} - Instant{kMin}, Duration{kMax});
  EXPECT_EQ(Instant{kMin} - Instant{kMin}, Duration{0});
}

TEST(DurationTest, SaturatesWhenAUnitIsTooLarge) {
  EXPECT_EQ(Duration::seconds(9'223'372'036), Duration{9'223'372'036'000'000'000});
  EXPECT_EQ(Duration::seconds(9'223'372'037), Duration{kMax});
  EXPECT_EQ(Duration::seconds(-9'223'372'037), Duration{kMin});
  EXPECT_EQ(Duration::seconds(kMax), Duration{kMax});
  EXPECT_EQ(Duration::seconds(kMin), Duration{kMin});
  EXPECT_EQ(Duration::milliseconds(kMax), Duration{kMax});
  EXPECT_EQ(Duration::milliseconds(kMin), Duration{kMin});
}

}  // namespace
}  // namespace weir::base
