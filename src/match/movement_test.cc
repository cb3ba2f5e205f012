// SPDX-License-Identifier: Apache-2.0
#include "match/movement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "filter/filter_testing.h"

namespace weir::match {
namespace {

using filter::Direction;
using filter::Literal;
using filter::Moves;
using filter::Threshold;

const std::vector<double> kValues = {-3, -2.5, -1, -0.5, -0.0, 0, 0.25, 0.5, 1, 2, 2.5, 3};

// The definition in quarters, where every sum, and every percentage used here, is exact.
bool is_far(const Threshold& threshold, double distance, double unit) {
  const double asked = threshold.amount * unit;
  return distance > asked || (threshold.inclusive && distance == asked);
}

bool defined(const Moves& moves, double last, double current) {
  double up = current - last;
  if (moves.direction == Direction::kDown) up = last - current;
  if (moves.direction == Direction::kEither && up < 0) up = -up;
  std::vector<bool> said;
  if (moves.absolute) said.push_back(is_far(*moves.absolute, up, 1));
  if (moves.percent) {
    const double hundredth = (last < 0 ? -last : last) / 100;
    said.push_back(last == 0 ? up > 0 : is_far(*moves.percent, up, hundredth));
  }
  bool all = true;
  bool one = false;
  for (const bool each : said) {
    all = all && each;
    one = one || each;
  }
  return moves.either ? one : all;
}

std::vector<std::optional<Threshold>> thresholds() {
  std::vector<std::optional<Threshold>> all = {std::nullopt};
  for (const double amount : {0.0, 0.5, 1.0, 50.0, 100.0}) {
    all.push_back(Threshold{amount, false});
    all.push_back(Threshold{amount, true});
  }
  return all;
}

TEST(MovementTest, EveryThresholdAndDirectionIsAsDefined) {
  std::size_t moved_count = 0;
  for (const Direction direction : {Direction::kEither, Direction::kUp, Direction::kDown}) {
    for (const auto& absolute : thresholds()) {
      for (const auto& percent : thresholds()) {
        if (!absolute && !percent) continue;
        for (const bool either : {false, true}) {
          const Moves moves{direction, absolute, percent, either};
          for (const double last : kValues) {
            for (const double current : kValues) {
              ASSERT_EQ(has_moved(moves, last, current), defined(moves, last, current))
                  << last << " " << current;
              if (has_moved(moves, last, current)) ++moved_count;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(moved_count, 10'000U);
}

TEST(MovementTest, FromZeroAnyChangeIsAPercentage) {
  const Moves either{.percent = Threshold{10, true}};
  EXPECT_FALSE(has_moved(either, 0, 0));
  EXPECT_TRUE(has_moved(either, 0, 5e-324));
  EXPECT_TRUE(has_moved(either, -0.0, -5e-324));
  const Moves rises{.direction = Direction::kUp, .percent = Threshold{10, false}};
  EXPECT_TRUE(has_moved(rises, 0, 1));
  EXPECT_FALSE(has_moved(rises, 0, -1));
}

TEST(MovementTest, TheLargestNumbersAreFurtherApartThanAnyThreshold) {
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_TRUE(has_moved({.absolute = Threshold{kMax, false}}, -kMax, kMax));
  EXPECT_FALSE(has_moved({.absolute = Threshold{kMax, false}}, 0, kMax));
}

TEST(MovementTest, ValuesChangeByTypeAndValue) {
  const std::int64_t odd = 9007199254740993;
  const std::vector<Literal> all = {{true},
                                    {false},
                                    {std::int64_t{1}},
                                    {std::int64_t{0}},
                                    {odd},
                                    {9007199254740992.0},
                                    {0.5},
                                    {std::string("1")},
                                    {std::string()},
                                    {event::Timestamp{1, 0}},
                                    {event::Timestamp{1, 1}}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(has_changed(all[i], all[j]), i != j) << i << " " << j;
    }
  }
  EXPECT_FALSE(has_changed({std::int64_t{1}}, {1.0}));
  EXPECT_FALSE(has_changed({0.0}, {-0.0}));
}

// The sides as intervals.
TEST(MovementTest, EverySideIsAsDefined) {
  for (const double level : kValues) {
    for (const double hysteresis : {0.0, 0.5, 1.0}) {
      for (const Direction direction : {Direction::kEither, Direction::kUp, Direction::kDown}) {
        const filter::Crosses crosses{level, direction, hysteresis};
        for (const double value : kValues) {
          EXPECT_EQ(first_side(crosses, value) == Side::kAbove, value - level > 0);
          const bool above = value - level > hysteresis;
          const bool below = level - value > hysteresis;
          EXPECT_EQ(side_after(crosses, Side::kBelow, value) == Side::kAbove, above);
          EXPECT_EQ(side_after(crosses, Side::kAbove, value) == Side::kBelow, below);
          EXPECT_EQ(has_crossed(crosses, Side::kBelow, value),
                    above && direction != Direction::kDown);
          EXPECT_EQ(has_crossed(crosses, Side::kAbove, value),
                    below && direction != Direction::kUp);
        }
      }
    }
  }
}

}  // namespace
}  // namespace weir::match
