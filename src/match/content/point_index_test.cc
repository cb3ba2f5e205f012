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
  index.release(point);
  EXPECT_EQ(index.find(point), id);
  index.release(point);
  EXPECT_EQ(index.find(point), kNoId);
  EXPECT_EQ(index.point_count(), 0U);
  EXPECT_EQ(index.acquire(*point_of(0, Value::of("b"))), id) << "ids are used again";
}

TEST(PointIndexTest, AFrequentPointHasALargeShare) {
  PointIndex index;
  const PointView often = *point_of(0, Value::of("often"));
  const PointView once = *point_of(0, Value::of("once"));
  for (int i = 0; i < 990; ++i) index.acquire(often);
  index.acquire(once);
  EXPECT_DOUBLE_EQ(index.share(often), 0.99);
  EXPECT_DOUBLE_EQ(index.share(once), 0.001);
  EXPECT_EQ(index.share(*point_of(0, Value::of("never"))), 0);
}

}  // namespace
}  // namespace weir::match::content
