// SPDX-License-Identifier: Apache-2.0
#include "match/content/point_index.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;

// Every kind of value, and numbers at the places where integers and doubles meet.
const std::array kValues = {Value::of(std::int64_t{0}),
                            Value::of(0.0),
                            Value::of(-0.0),
                            Value::of(std::int64_t{1}),
                            Value::of(1.0),
                            Value::of(0.5),
                            Value::of(std::int64_t{9007199254740992}),
                            Value::of(std::int64_t{9007199254740993}),
                            Value::of(9007199254740992.0),
                            Value::of(std::numeric_limits<std::int64_t>::max()),
                            Value::of(std::numeric_limits<std::int64_t>::min()),
                            Value::of(-9223372036854775808.0),
                            Value::of(9223372036854775808.0),
                            Value::of(1e300),
                            Value::of(std::numeric_limits<double>::infinity()),
                            Value::of(std::numeric_limits<double>::quiet_NaN()),
                            Value::of(true),
                            Value::of(false),
                            Value::of(""),
                            Value::of("1"),
                            Value::of("true"),
                            Value::of(event::Timestamp{0, 0}),
                            Value::of(event::Timestamp{1, 0}),
                            Value::of(event::Timestamp{1, 1}),
                            Value::of_kind(ValueKind::kNull),
                            Value::of_kind(ValueKind::kObject),
                            Value()};

TEST(PointIndexTest, TwoValuesAreOnePointExactlyIfTheyAreEqual) {
  for (const Value& left : kValues) {
    for (const Value& right : kValues) {
      const auto left_point = point_of(0, left);
      const bool same = left_point && left_point == point_of(0, right);
      EXPECT_EQ(same, event::compare(left, right) == 0)
          << event::to_display(left) << " and " << event::to_display(right);
      PointIndex index;
      if (!left_point) continue;
      const PointId id = index.acquire(*left_point);
      const auto right_point = point_of(0, right);
      EXPECT_EQ(right_point && index.find(*right_point) == id, same);
    }
  }
}

TEST(PointIndexTest, SlotsAndPrefixesAreApart) {
  PointIndex index;
  const PointId id = index.acquire(*point_of(1, Value::of("ab")));
  EXPECT_EQ(index.find(*point_of(1, Value::of("ab"))), id);
  EXPECT_EQ(index.find(*point_of(2, Value::of("ab"))), kNoId);
  EXPECT_EQ(index.find(prefix_point(1, "ab")), kNoId);
}

TEST(PointIndexTest, KeepsAPointAsLongAsItIsUsed) {
  PointIndex index;
  const PointView point = *point_of(0, Value::of("a"));
  const PointId id = index.acquire(point);
  EXPECT_EQ(index.acquire(point), id);
  EXPECT_FALSE(index.release(id));
  EXPECT_EQ(index.find(point), id);
  EXPECT_TRUE(index.release(id));
  EXPECT_EQ(index.find(point), kNoId);
  EXPECT_EQ(index.point_count(), 0U);
  EXPECT_EQ(index.acquire(*point_of(0, Value::of("b"))), id) << "ids are used again";
}

TEST(PointIndexTest, BeforeThereAreEventsAPointThatManyNameHasALargeShare) {
  PointIndex index;
  const PointView view = *point_of(0, Value::of("often"));
  const PointId often = index.acquire(view);
  for (int i = 0; i < 989; ++i) index.acquire(view);
  const PointId once = index.acquire(*point_of(0, Value::of("once")));
  EXPECT_FLOAT_EQ(index.share(often), 0.99F);
  EXPECT_FLOAT_EQ(index.share(once), 0.001F);
}

TEST(PointIndexTest, AShareIsDoubtedLessTheMoreEventsThereAre) {
  PointIndex index;
  const float at_first = index.doubt(0.01F);
  for (int i = 0; i < 1000; ++i) index.count_event();
  const float later = index.doubt(0.01F);
  EXPECT_GT(at_first, 0.1F);
  EXPECT_LT(later, 0.006F);
  EXPECT_GT(index.doubt(0.1F), later);
  EXPECT_GT(index.doubt(0), 0.001F) << "what was not seen yet may come";
}

TEST(PointIndexTest, SharesFollowTheEvents) {
  PointIndex index;
  const PointId first = index.acquire(*point_of(0, Value::of("first")));
  const PointId second = index.acquire(*point_of(0, Value::of("second")));
  const auto publish = [&](PointId one_in_two, int count) {
    for (int i = 0; i < count; ++i) {
      index.count_event();
      if (i % 2 == 0) index.count(one_in_two);
    }
  };
  publish(first, 10'000);
  EXPECT_NEAR(index.share(first), 0.5, 0.02);
  EXPECT_LT(index.share(second), 0.01);
  publish(second, 40'000);
  EXPECT_NEAR(index.share(second), 0.5, 0.02);
  EXPECT_LT(index.share(first), 0.02) << "what was long ago counts little";
}

}  // namespace
}  // namespace weir::match::content
