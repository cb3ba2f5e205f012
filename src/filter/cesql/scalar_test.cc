// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/scalar.h"

#include <gtest/gtest.h>

#include <limits>

namespace weir::filter::cesql {
namespace {

using enum CesqlType;
using namespace std::string_view_literals;

CesqlValue cast_or_fail(Scalar value, CesqlType target) {
  EXPECT_TRUE(value.cast(target));
  return value.to_value();
}

TEST(ScalarTest, CastsBetweenAllTypes) {
  EXPECT_EQ(cast_or_fail(Scalar(true), kInteger), CesqlValue(1));
  EXPECT_EQ(cast_or_fail(Scalar(false), kString), CesqlValue("false"));
  EXPECT_EQ(cast_or_fail(Scalar(-7), kBoolean), CesqlValue(true));
  EXPECT_EQ(cast_or_fail(Scalar(0), kBoolean), CesqlValue(false));
  EXPECT_EQ(cast_or_fail(Scalar(-7), kString), CesqlValue("-7"));
  EXPECT_EQ(cast_or_fail(Scalar("-7"sv), kInteger), CesqlValue(-7));
  EXPECT_EQ(cast_or_fail(Scalar("TrUe"sv), kBoolean), CesqlValue(true));
  EXPECT_EQ(cast_or_fail(Scalar("x"sv), kString), CesqlValue("x"));
}

TEST(ScalarTest, StaysAsItIsIfACastFails) {
  Scalar value(std::string("seven"));
  EXPECT_FALSE(value.cast(kInteger));
  EXPECT_FALSE(value.cast(kBoolean));
  EXPECT_EQ(value.string(), "seven");
}

TEST(ScalarTest, HasAZeroOfEachType) {
  EXPECT_EQ(Scalar::zero(kBoolean).to_value(), CesqlValue(false));
  EXPECT_EQ(Scalar::zero(kInteger).to_value(), CesqlValue(0));
  EXPECT_EQ(Scalar::zero(kString).to_value(), CesqlValue(""));
}

TEST(ScalarTest, EqualsByTypeAndValueWhoeverOwnsTheString) {
  EXPECT_EQ(Scalar("x"sv), Scalar(std::string("x")));
  EXPECT_FALSE(Scalar("x"sv) == Scalar("y"sv));
  EXPECT_FALSE(Scalar("1"sv) == Scalar(1));
  EXPECT_FALSE(Scalar(true) == Scalar(1));
  EXPECT_FALSE(Scalar(2) == Scalar(1));
}

TEST(ScalarTest, SlicesBorrowedAndOwnedStrings) {
  Scalar borrowed("harbour"sv);
  borrowed.slice(3, 2);
  EXPECT_EQ(borrowed.string(), "bo");
  Scalar owned(std::string("harbour"));
  owned.slice(3, 99);
  EXPECT_EQ(owned.string(), "bour");
}

TEST(ScalarTest, ReadsIntegersOf32BitsOnly) {
  EXPECT_EQ(parse_integer("2147483647"), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(parse_integer("-2147483648"), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(parse_integer("+00012"), 12);
  for (const std::string_view text :
       {"", "+", "-", "+-1", "-+1", "++1", "1 ", " 1", "1.0", "1e3", "2147483648", "-2147483649"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weir::filter::cesql
