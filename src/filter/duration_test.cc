// SPDX-License-Identifier: Apache-2.0
#include "filter/duration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/prng.h"

namespace weir::filter {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Nothing unless the whole text is one duration.
std::optional<std::int64_t> read(std::string_view text) {
  const auto prefix = parse_duration_prefix(text);
  if (!prefix || prefix->length_bytes != text.size()) return std::nullopt;
  return prefix->duration.nanoseconds;
}

TEST(DurationTest, KnowsEveryUnit) {
  EXPECT_EQ(read("1ns"), 1);
  EXPECT_EQ(read("1us"), 1'000);
  EXPECT_EQ(read("1ms"), 1'000'000);
  EXPECT_EQ(read("1s"), kSecond);
  EXPECT_EQ(read("1m"), 60 * kSecond);
  EXPECT_EQ(read("1h"), 3600 * kSecond);
  EXPECT_EQ(read("1d"), 86'400 * kSecond);
  EXPECT_EQ(read("1w"), 7 * 86'400 * kSecond);
}

TEST(DurationTest, AddsPartsInAnyOrder) {
  EXPECT_EQ(read("1h30m"), 5400 * kSecond);
  EXPECT_EQ(read("30m1h"), 5400 * kSecond);
  EXPECT_EQ(read("1m1m"), 120 * kSecond);
  EXPECT_EQ(read("0s"), 0);
  EXPECT_EQ(read("007s"), 7 * kSecond);
}

TEST(DurationTest, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", "1", "s", "1x", "1hour", "1S", "1H", "1 s", " 1s", "-1s", "+1s", "1.5s", "1e3s", "1s5",
        "1s5x", "1h-30m", "1s_", "1µs"}) {
    EXPECT_FALSE(read(text).has_value()) << text;
  }
}

TEST(DurationTest, StopsWhereTheWordEnds) {
  const auto prefix = parse_duration_prefix("1h30m) and x");
  ASSERT_TRUE(prefix.has_value());
  EXPECT_EQ(prefix->length_bytes, 5U);
  EXPECT_EQ(parse_duration_prefix("10s refresh")->length_bytes, 3U);
}

TEST(DurationTest, RefusesMoreThanFitsInsteadOfWrapping) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(read("9223372036854775807ns"), kMax);
  EXPECT_FALSE(read("9223372036854775808ns").has_value());
  EXPECT_FALSE(read("9223372036854775807ns1ns").has_value());
  EXPECT_FALSE(read("9223372036854775807us").has_value());
  EXPECT_FALSE(read("99999999999999999999s").has_value());
  EXPECT_TRUE(read("15250w").has_value());
  EXPECT_FALSE(read("15251w").has_value());
}

TEST(DurationTest, WritesTheLargestUnitsFirst) {
  EXPECT_EQ(to_text(base::Duration{0}), "0s");
  EXPECT_EQ(to_text(base::Duration{1}), "1ns");
  EXPECT_EQ(to_text(base::Duration::seconds(5400)), "1h30m");
  EXPECT_EQ(to_text(base::Duration::seconds(7 * 86'400)), "1w");
  EXPECT_EQ(to_text(base::Duration::milliseconds(90'061'500)), "1d1h1m1s500ms");
}

TEST(DurationTest, ReadsBackWhatItWrote) {
  constexpr std::uint64_t kSeed = 20260101;
  base::Prng prng(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const auto span = static_cast<std::int64_t>(prng.next() >> (1 + prng.below(62)));
    const std::string text = to_text(base::Duration{span});
    ASSERT_EQ(read(text), span) << text << ", seed " << kSeed;
  }
}

}  // namespace
}  // namespace weir::filter
