// SPDX-License-Identifier: Apache-2.0
#include "match/change/movement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/prng.h"
#include "match/change/change_testing.h"

namespace weir::match {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// Every end of the band is where the predicate flips, to the last bit.
void expect_exact(const Movement& movement, double c, double last) {
  SCOPED_TRACE(testing::Message() << movement << " c " << c << " last " << last);
  const Band band = movement.quiet_band(c, last);
  const auto quiet = [&](double x) { return !movement.fires(c, last, x); };
  for (const double end : {band.low, band.high, last, last + c, last - c, 0.0, kMax, -kMax}) {
    double below = end;
    double above = end;
    for (int i = 0; i < 4; ++i) {
      for (const double x : {below, above}) {
        if (std::isfinite(x)) {
          ASSERT_EQ(band.contains(x), quiet(x)) << x;
        }
      }
      below = std::nextafter(below, -kMax);
      above = std::nextafter(above, kMax);
    }
  }
}

// The thresholds that fire end where first_quiet_threshold() says.
void expect_exact_threshold(const Movement& movement, double last, double x) {
  SCOPED_TRACE(testing::Message() << movement << " last " << last << " x " << x);
  const double first = movement.first_quiet_threshold(last, x);
  ASSERT_GE(first, 0);
  if (std::isfinite(first)) {
    ASSERT_FALSE(movement.fires(first, last, x));
  }
  if (first > 0) {
    ASSERT_TRUE(movement.fires(std::nextafter(first, 0), last, x));
  }
}

TEST(MovementTest, FiresAsDefined) {
  const Movement changes{};
  EXPECT_FALSE(changes.fires(0.5, 10, 10.5));
  EXPECT_TRUE(changes.fires(0.5, 10, 9.4));
  const Movement rises{.direction = Direction::kRises, .inclusive = true};
  EXPECT_TRUE(rises.fires(0.5, 10, 10.5));
  EXPECT_FALSE(rises.fires(0.5, 10, 1));
  const Movement falls{.direction = Direction::kFalls, .percent = true};
  EXPECT_FALSE(falls.fires(10, -50, -55));
  EXPECT_TRUE(falls.fires(10, -50, -56));
  EXPECT_FALSE(falls.fires(10, 0, 1));
  EXPECT_TRUE(falls.fires(10, 0, -kTiny));
}

TEST(MovementTest, ABandWithoutEndIsInfinite) {
  const Band band = Movement{.direction = Direction::kRises}.quiet_band(1, 2);
  EXPECT_EQ(band.high, 3);
  EXPECT_EQ(band.low, -std::numeric_limits<double>::infinity());
  const Movement percent{.percent = true};
  EXPECT_EQ(percent.quiet_band(kMax, kMax), Band());
}

TEST(MovementTest, AThresholdThatAlwaysFiresHasAnEmptyBand) {
  EXPECT_TRUE(Movement{.inclusive = true}.quiet_band(0, 7).is_empty());
  const Movement rises{.direction = Direction::kRises, .inclusive = true};
  EXPECT_EQ(rises.quiet_band(0, 7).high, std::nextafter(7, 0));
}

TEST(MovementTest, BandsAreExactAtTheEdgesOfDoubles) {
  const std::vector<double> values = {0.0, -0.0, kTiny, -kTiny, 1e-300, 0.1,   0.3,  1,
                                      -1,  3,    1e16,  1e300,  kMax,   -kMax, -0.7, 1e-16};
  for (const Movement& movement : all_movements()) {
    for (const double last : values) {
      for (const double c : values) {
        if (c >= 0) expect_exact(movement, c, last);
        expect_exact_threshold(movement, last, c);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(MovementTest, BandsAreExactForRandomNumbers) {
  base::Prng prng(1);
  const auto any = [&] {
    return std::ldexp(prng.fraction() - 0.5, static_cast<int>(prng.below(80)) - 40);
  };
  for (int i = 0; i < 20'000 && !testing::Test::HasFatalFailure(); ++i) {
    const Movement movement = all_movements()[prng.below(all_movements().size())];
    const double last = any();
    // Cancellation: the ends are much smaller than what they are computed of.
    const double c =
        prng.chance(0.3) ? std::abs(last) * (1 + (prng.fraction() - 0.5) * 1e-15) : std::abs(any());
    expect_exact(movement, c, last);
    expect_exact_threshold(movement, last, any());
    expect_exact_threshold(movement, last, last + c);
  }
}

}  // namespace
}  // namespace weir::match
