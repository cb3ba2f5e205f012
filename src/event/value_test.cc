// SPDX-License-Identifier: Apache-2.0
#include "event/value.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/prng.h"

namespace weir::event {
namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kIntMin = std::numeric_limits<std::int64_t>::min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Value number(std::int64_t integer) { return Value::of(integer); }
Value number(double floating) { return Value::of(floating); }

// '<', '=', '>' or '.' for unordered.
char symbol(std::partial_ordering ordering) {
  if (ordering < 0) return '<';
  if (ordering > 0) return '>';
  return ordering == 0 ? '=' : '.';
}

char mirrored(char ordering) {
  if (ordering == '<') return '>';
  return ordering == '>' ? '<' : ordering;
}

// Compares both ways round.
char order(const Value& left, const Value& right) {
  const char there = symbol(compare(left, right));
  EXPECT_EQ(symbol(compare(right, left)), mirrored(there));
  return there;
}

TEST(ValueTest, IsMissingUnlessMade) {
  EXPECT_TRUE(Value().missing());
  EXPECT_EQ(Value().kind(), ValueKind::kMissing);
  EXPECT_FALSE(Value::of(false).missing());
}

TEST(ValueTest, HoldsWhatItWasMadeOf) {
  EXPECT_TRUE(Value::of(true).as_bool());
  EXPECT_EQ(number(kIntMin).as_int(), kIntMin);
  EXPECT_EQ(number(0.5).as_double(), 0.5);
  EXPECT_EQ(Value::of("text").as_string(), "text");
  EXPECT_EQ(Value::of(std::string_view("a\0b", 3)).as_string().size(), 3U);
  EXPECT_EQ(Value::of(Timestamp{5, 6}).as_timestamp(), (Timestamp{5, 6}));
  EXPECT_EQ(number(std::int64_t{3}).as_number(), 3.0);
  EXPECT_EQ(number(2.5).as_number(), 2.5);
}

// One value of each kind, in the order of ValueKind; numbers are kin, anything else keeps to its
// own kind, and what cannot be compared is not even equal to itself.
TEST(ValueTest, ComparesOnlyKinWithKin) {
  const std::array values = {Value(),
                             Value::of_kind(ValueKind::kNull),
                             Value::of(true),
                             number(std::int64_t{1}),
                             number(1.0),
                             Value::of("1"),
                             Value::of(Timestamp{1, 0}),
                             Value::of_kind(ValueKind::kBytes),
                             Value::of_kind(ValueKind::kObject),
                             Value::of_kind(ValueKind::kArray)};
  const std::array<std::string_view, 10> expected = {
      "..........", "..........", "..=.......", "...==.....", "...==.....",
      ".....=....", "......=...", "..........", "..........", ".........."};
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string row;
    for (const Value& other : values) row += order(values[i], other);
    EXPECT_EQ(row, expected[i]) << to_string(values[i].kind());
  }
}

TEST(ValueTest, OrdersStringsByBytes) {
  EXPECT_EQ(order(Value::of("a"), Value::of("b")), '<');
  EXPECT_EQ(order(Value::of("a"), Value::of("aa")), '<');
  EXPECT_EQ(order(Value::of(""), Value::of("a")), '<');
  EXPECT_EQ(order(Value::of("Z"), Value::of("a")), '<');
  EXPECT_EQ(order(Value::of("z"), Value::of("\xC3\xA9")), '<');  // not as signed characters
  EXPECT_EQ(order(Value::of("\xEF\xBF\xBD"), Value::of("\xF0\x9F\x98\x80")), '<');
  EXPECT_EQ(order(Value::of("same"), Value::of("same")), '=');
}

TEST(ValueTest, OrdersBooleansAndTimestamps) {
  EXPECT_EQ(order(Value::of(false), Value::of(true)), '<');
  EXPECT_EQ(order(Value::of(false), Value::of(false)), '=');
  EXPECT_EQ(order(Value::of(Timestamp{1, 9}), Value::of(Timestamp{2, 0})), '<');
  EXPECT_EQ(order(Value::of(Timestamp{1, 8}), Value::of(Timestamp{1, 9})), '<');
  EXPECT_EQ(order(Value::of(Timestamp{-1, 0}), Value::of(Timestamp{0, 0})), '<');
}

TEST(ValueTest, ComparesIntegersWithDoublesExactly) {
  constexpr std::int64_t kTwoTo53 = std::int64_t{1} << 53U;
  EXPECT_EQ(order(number(kTwoTo53), number(0x1p53)), '=');
  EXPECT_EQ(order(number(kTwoTo53 + 1), number(0x1p53)), '>');
  EXPECT_EQ(order(number(kTwoTo53 - 1), number(0x1p53)), '<');
  EXPECT_EQ(order(number(kTwoTo53 + 1), number(0x1p53 + 2)), '<');
  EXPECT_EQ(order(number(-kTwoTo53 - 1), number(-0x1p53)), '<');
  EXPECT_EQ(order(number(kIntMax), number(0x1p63)), '<');
  EXPECT_EQ(order(number(kIntMax), number(0x1p63 - 1024)), '>');
  EXPECT_EQ(order(number(kIntMax - 1023), number(0x1p63 - 1024)), '=');
  EXPECT_EQ(order(number(kIntMin), number(-0x1p63)), '=');
  EXPECT_EQ(order(number(kIntMin + 1), number(-0x1p63)), '>');
  EXPECT_EQ(order(number(kIntMin), number(-0x1p63 - 2048)), '>');
  EXPECT_EQ(order(number(kIntMin), number(-0x1p64)), '>');
}

TEST(ValueTest, BreaksTiesByTheFraction) {
  EXPECT_EQ(order(number(std::int64_t{2}), number(2.5)), '<');
  EXPECT_EQ(order(number(std::int64_t{3}), number(2.5)), '>');
  EXPECT_EQ(order(number(std::int64_t{-2}), number(-2.5)), '>');
  EXPECT_EQ(order(number(std::int64_t{-3}), number(-2.5)), '<');
  EXPECT_EQ(order(number(std::int64_t{0}), number(5e-324)), '<');
  EXPECT_EQ(order(number(std::int64_t{0}), number(-5e-324)), '>');
  EXPECT_EQ(order(number(std::int64_t{0}), number(-0.0)), '=');
  EXPECT_EQ(order(number(0.0), number(-0.0)), '=');
}

TEST(ValueTest, OrdersInfinitiesAndNotNan) {
  EXPECT_EQ(order(number(kIntMax), number(kInfinity)), '<');
  EXPECT_EQ(order(number(kIntMin), number(-kInfinity)), '>');
  EXPECT_EQ(order(number(-kInfinity), number(kInfinity)), '<');
  EXPECT_EQ(order(number(kInfinity), number(kInfinity)), '=');
  EXPECT_EQ(order(number(std::int64_t{0}), number(kNan)), '.');
  EXPECT_EQ(order(number(kNan), number(kNan)), '.');
  EXPECT_EQ(order(number(kNan), number(1.0)), '.');
}

std::int64_t random_int(base::Prng& prng) {
  const auto bits = static_cast<unsigned>(prng.below(64));
  return static_cast<std::int64_t>(prng.next()) >> bits;
}

// A double near the integer, or any bits at all.
double random_double(base::Prng& prng, std::int64_t near) {
  switch (prng.below(4)) {
    case 0:
      return std::bit_cast<double>(prng.next());
    case 1:
      return static_cast<double>(near) + static_cast<double>(prng.below(9)) / 2 - 2;
    case 2:
      return std::nextafter(static_cast<double>(near), prng.chance(0.5) ? kInfinity : -kInfinity);
    default:
      return static_cast<double>(near);
  }
}

TEST(ValueTest, AgreesWithWiderArithmeticOnRandomPairs) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "the judge must hold both exactly");
  constexpr std::uint64_t kSeed = 53;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t integer = random_int(prng);
    const double floating = random_double(prng, integer);
    const auto judge = static_cast<long double>(integer) <=> static_cast<long double>(floating);
    ASSERT_EQ(order(number(integer), number(floating)), symbol(judge))
        << fmt::format("{} and {:a}", integer, floating);
  }
}

TEST(ValueTest, IsShownAsAPersonWouldReadIt) {
  EXPECT_EQ(to_display(Value()), "missing");
  EXPECT_EQ(to_display(Value::of_kind(ValueKind::kNull)), "null");
  EXPECT_EQ(to_display(Value::of(true)), "true");
  EXPECT_EQ(to_display(Value::of(false)), "false");
  EXPECT_EQ(to_display(number(std::int64_t{-42})), "-42");
  EXPECT_EQ(to_display(number(20.5)), "20.5");
  EXPECT_EQ(to_display(number(0.1)), "0.1");
  EXPECT_EQ(to_display(Value::of("storm")), "'storm'");
  EXPECT_EQ(to_display(Value::of(Timestamp{0, 500'000'000})), "timestamp '1970-01-01T00:00:00.5Z'");
  EXPECT_EQ(to_display(Value::of_kind(ValueKind::kBytes)), "bytes");
  EXPECT_EQ(to_display(Value::of_kind(ValueKind::kObject)), "object");
  EXPECT_EQ(to_display(Value::of_kind(ValueKind::kArray)), "array");
}

TEST(ValueTest, NamesEveryKind) {
  EXPECT_EQ(to_string(ValueKind::kInt), "int");
  EXPECT_EQ(to_string(ValueKind::kDouble), "double");
  EXPECT_EQ(to_string(ValueKind::kString), "string");
  EXPECT_EQ(to_string(ValueKind::kTimestamp), "timestamp");
  EXPECT_EQ(to_string(ValueKind::kBool), "bool");
}

}  // namespace
}  // namespace weir::event
