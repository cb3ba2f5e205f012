// SPDX-License-Identifier: Apache-2.0
#include "match/content/codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

using event::Timestamp;
using event::Value;

constexpr std::int64_t kIntMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kIntMin = std::numeric_limits<std::int64_t>::min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whole numbers around the powers of two at which places and doubles grow coarser.
std::vector<Value> edge_integers() {
  std::vector<Value> values;
  for (const unsigned exponent : {0U, 1U, 19U, 20U, 21U, 31U, 32U, 40U, 52U, 53U, 54U, 62U}) {
    const std::int64_t power = std::int64_t{1} << exponent;
    for (std::int64_t step = -3; step <= 3; ++step) {
      values.push_back(Value::of(power + step));
      values.push_back(Value::of(-power + step));
    }
  }
  for (std::int64_t step = 0; step <= 2; ++step) {
    values.push_back(Value::of(kIntMax - step));
    values.push_back(Value::of(kIntMin + step));
  }
  return values;
}

std::vector<Value> edge_doubles() {
  std::vector<Value> values;
  const auto add = [&](double number) {
    for (const double near :
         {number, std::nextafter(number, kInfinity), std::nextafter(number, -kInfinity)}) {
      values.push_back(Value::of(near));
      values.push_back(Value::of(-near));
    }
  };
  for (const double number : {0.0,
                              5e-324,
                              1e-310,
                              2.2250738585072014e-308,
                              1e-9,
                              0.1,
                              0.25,
                              0.3,
                              0.30000000000000004,
                              0.5,
                              1.0,
                              1.5,
                              19.99,
                              524287.5,
                              524288.5,
                              1048576.0,
                              1048577.0,
                              9007199254740992.0,
                              0x1p63,
                              0x1p64,
                              1e300,
                              std::numeric_limits<double>::max(),
                              kInfinity}) {
    add(number);
  }
  return values;
}

std::vector<Value> random_numbers(base::Prng& prng, std::size_t count) {
  std::vector<Value> values;
  while (values.size() < count) {
    const auto bits = static_cast<unsigned>(prng.below(64));
    const auto integer = static_cast<std::int64_t>(prng.next() >> bits);
    values.push_back(Value::of(prng.chance(0.5) ? integer : -integer));
    const double fraction = static_cast<double>(integer) * std::ldexp(1.0, -static_cast<int>(bits));
    values.push_back(Value::of(prng.chance(0.5) ? fraction : -fraction));
  }
  return values;
}

// Codes of one order never contradict it, and decide it unless both values lie between places.
void expect_order(const Value& left, Code left_code, const Value& right, Code right_code) {
  const std::partial_ordering order = event::compare(left, right);
  const auto where = [&] { return event::to_display(left) + " and " + event::to_display(right); };
  if (order == 0) {
    ASSERT_EQ(left_code, right_code) << where();
  } else if (left_code == right_code) {
    ASSERT_TRUE(is_between(left_code)) << where();
  } else {
    ASSERT_EQ(order < 0, left_code < right_code) << where();
  }
}

TEST(CodesTest, NumbersKeepTheirOrder) {
  std::vector<Value> values = edge_integers();
  for (const Value& value : edge_doubles()) values.push_back(value);
  base::Prng prng(1);
  SCOPED_TRACE("seed 1");
  for (const Value& value : random_numbers(prng, 400)) values.push_back(value);
  for (const Value& left : values) {
    ASSERT_GE(number_code(left), kPointCodeMin) << event::to_display(left);
    for (const Value& right : values) {
      expect_order(left, number_code(left), right, number_code(right));
    }
  }
}

TEST(CodesTest, EqualNumbersOfTwoTypesHaveOneCode) {
  EXPECT_EQ(number_code(Value::of(0.0)), number_code(Value::of(-0.0)));
  EXPECT_EQ(number_code(Value::of(0.0)), number_code(Value::of(std::int64_t{0})));
  for (const std::int64_t integer :
       {std::int64_t{1}, std::int64_t{-7}, std::int64_t{1} << 20U, (std::int64_t{1} << 40U) + 1,
        std::int64_t{1} << 53U, -(std::int64_t{1} << 62U), kIntMin}) {
    EXPECT_EQ(number_code(Value::of(integer)), number_code(Value::of(static_cast<double>(integer))))
        << integer;
  }
}

// A place has 20 significant bits.
TEST(CodesTest, NumbersOfTwentyBitsStandOnTheirPlaces) {
  const std::int64_t last = std::int64_t{1} << 20U;
  for (std::int64_t integer = -last; integer <= last; integer += 7) {
    ASSERT_FALSE(is_between(number_code(Value::of(integer)))) << integer;
    ASSERT_FALSE(is_between(number_code(Value::of(static_cast<double>(integer) / 2)))) << integer;
  }
  for (const std::int64_t sign : {-1, 1}) {
    EXPECT_FALSE(is_between(number_code(Value::of(sign * last))));
    EXPECT_TRUE(is_between(number_code(Value::of(sign * (last + 1)))));
    EXPECT_FALSE(is_between(number_code(Value::of(sign * (last + 2)))));
    EXPECT_FALSE(is_between(number_code(Value::of(sign * (std::int64_t{1} << 62U)))));
    EXPECT_TRUE(is_between(number_code(Value::of(sign * ((std::int64_t{1} << 62U) - 1)))));
  }
  EXPECT_TRUE(is_between(number_code(Value::of(kIntMax))));
  EXPECT_FALSE(is_between(number_code(Value::of(kIntMin))));
}

TEST(CodesTest, FractionsOfManyBitsLieBetweenPlaces) {
  for (const double number : {0.1, 0.3, 19.99, 1e-9, 5e-324, 1e300, 524288.75}) {
    EXPECT_TRUE(is_between(number_code(Value::of(number)))) << number;
    EXPECT_TRUE(is_between(number_code(Value::of(-number)))) << number;
  }
  for (const double number : {0.25, 0.375, 524287.5, 0x1p-1022, 0x1p1023, kInfinity}) {
    EXPECT_FALSE(is_between(number_code(Value::of(number)))) << number;
    EXPECT_FALSE(is_between(number_code(Value::of(-number)))) << number;
  }
}

Timestamp at(std::string_view text) { return event::parse_timestamp(text).value(); }

TEST(CodesTest, TimesKeepTheirOrder) {
  std::vector<Timestamp> times;
  for (const char* text :
       {"0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z",
        "1999-12-31T23:59:58Z", "1999-12-31T23:59:59Z", "1999-12-31T23:59:59.999999999Z",
        "2000-01-01T00:00:00Z", "2000-01-01T00:00:00.000000001Z", "2000-01-01T00:00:01Z",
        "2026-06-30T12:00:00Z", "2026-06-30T12:00:00.5Z", "2026-06-30T12:00:00.6Z",
        "2026-06-30T12:00:01Z", "2026-06-30T14:00:00+02:00", "2068-01-18T00:00:00Z",
        "2068-01-20T00:00:00Z", "9999-12-31T23:59:59.999999999Z"}) {
    times.push_back(at(text));
  }
  // The last second that has a place of its own, and those around it.
  for (std::int64_t second = 946'684'800 + (std::int64_t{1} << 31U) - 8, i = 0; i < 12; ++i) {
    times.push_back({second + i, 0});
    times.push_back({second + i, 999'999'999});
  }
  for (const Timestamp& left : times) {
    ASSERT_GE(time_code(left), kPointCodeMin);
    for (const Timestamp& right : times) {
      expect_order(Value::of(left), time_code(left), Value::of(right), time_code(right));
    }
  }
}

TEST(CodesTest, WholeSecondsFrom2000To2068StandOnTheirPlaces) {
  base::Prng prng(2);
  SCOPED_TRACE("seed 2");
  const std::int64_t first = at("2000-01-01T00:00:00Z").seconds;
  const std::int64_t last = at("2068-01-01T00:00:00Z").seconds;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t second =
        first + static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(last - first)));
    ASSERT_FALSE(is_between(time_code({second, 0}))) << second;
    ASSERT_TRUE(is_between(time_code({second, 1}))) << second;
    ASSERT_LT(time_code({second, 0}), time_code({second, 1}));
    ASSERT_LT(time_code({second, 999'999'999}), time_code({second + 1, 0}));
  }
  EXPECT_FALSE(is_between(time_code({first, 0})));
  EXPECT_FALSE(is_between(time_code({last, 0})));
}

TEST(CodesTest, TimesBeforeAndAfterThatShareOnePlaceEach) {
  const Code before = time_code(at("1999-12-31T23:59:59Z"));
  EXPECT_TRUE(is_between(before));
  EXPECT_EQ(time_code(at("0001-01-01T00:00:00Z")), before);
  EXPECT_EQ(time_code(at("1970-01-01T00:00:00.5Z")), before);
  const Code after = time_code(at("2068-02-01T00:00:00Z"));
  EXPECT_TRUE(is_between(after));
  EXPECT_EQ(time_code(at("9999-12-31T23:59:59Z")), after);
}

TEST(CodesTest, AColumnIsASlotAndAKind) {
  for (const SlotId slot : {0U, 1U, 5461U}) {
    for (const ColumnKind kind : {ColumnKind::kPoint, ColumnKind::kNumber, ColumnKind::kTime}) {
      EXPECT_EQ(slot_of(column_of(slot, kind)), slot);
      EXPECT_EQ(kind_of(column_of(slot, kind)), kind);
    }
  }
}

}  // namespace
}  // namespace weir::match::content
