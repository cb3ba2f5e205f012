// SPDX-License-Identifier: Apache-2.0
#include "event/timestamp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/prng.h"

namespace weir::event {
namespace {

struct Sample {
  std::string_view text;
  Timestamp timestamp;
};

TEST(TimestampTest, ReadsADateAndTimeInUtc) {
  for (const Sample& sample : {
           Sample{"1970-01-01T00:00:00Z", {0, 0}},
           Sample{"1985-04-12T23:20:50.52Z", {482196050, 520'000'000}},
           Sample{"2001-09-09T01:46:40Z", {1'000'000'000, 0}},
           Sample{"2038-01-19T03:14:08Z", {std::int64_t{1} << 31U, 0}},
           Sample{"1969-12-31T23:59:59.999999999Z", {-1, 999'999'999}},
           Sample{"2000-02-29T12:00:00Z", {951825600, 0}},
           Sample{"0000-01-01T00:00:00Z", {-62167219200, 0}},
           Sample{"0000-02-29T00:00:00Z", {-62162121600, 0}},
           Sample{"9999-12-31T23:59:59.999999999Z", {253402300799, 999'999'999}},
       }) {
    const auto read = parse_timestamp(sample.text);
    ASSERT_TRUE(read.has_value()) << sample.text;
    EXPECT_EQ(read->seconds, sample.timestamp.seconds) << sample.text;
    EXPECT_EQ(read->nanoseconds, sample.timestamp.nanoseconds) << sample.text;
  }
}

TEST(TimestampTest, ComparesByTheMoment) {
  const auto at = [](std::string_view text) { return parse_timestamp(text).value(); };
  const Timestamp noon = at("2026-01-31T12:00:00Z");
  EXPECT_EQ(at("2026-01-31T13:30:00+01:30"), noon);
  EXPECT_EQ(at("2026-01-31T00:30:00-11:30"), noon);
  EXPECT_EQ(at("2026-02-01T11:59:00+23:59"), noon);
  EXPECT_EQ(at("2026-01-30T12:01:00-23:59"), noon);
  EXPECT_EQ(at("2026-01-31T12:00:00+00:00"), noon);
  EXPECT_EQ(at("2026-01-31T12:00:00-00:00"), noon);
  EXPECT_EQ(at("2026-01-31t12:00:00z"), noon);
  EXPECT_EQ(at("2026-01-31T12:00:00.000Z"), noon);
  EXPECT_LT(noon, at("2026-01-31T12:00:00.000000001Z"));
  EXPECT_LT(noon, at("2026-01-31T12:00:00-00:01"));
  EXPECT_GT(noon, at("2026-01-31T11:59:59.999999999Z"));
}

TEST(TimestampTest, ReadsAFractionOfAnyLength) {
  const auto nanoseconds = [](std::string_view fraction) {
    return parse_timestamp(fmt::format("2026-01-31T12:00:00.{}Z", fraction)).value().nanoseconds;
  };
  EXPECT_EQ(nanoseconds("1"), 100'000'000);
  EXPECT_EQ(nanoseconds("01"), 10'000'000);
  EXPECT_EQ(nanoseconds("000000001"), 1);
  EXPECT_EQ(nanoseconds("123456789"), 123'456'789);
  EXPECT_EQ(nanoseconds("1234567899"), 123'456'789);  // dropped, not rounded
  EXPECT_EQ(nanoseconds("0000000009"), 0);
  EXPECT_EQ(nanoseconds(std::string(1000, '9')), 999'999'999);
}

TEST(TimestampTest, AllowsALeapSecondAtTheEndOfAUtcDay) {
  const auto at = [](std::string_view text) { return parse_timestamp(text).value(); };
  EXPECT_EQ(at("2016-12-31T23:59:60Z"), at("2017-01-01T00:00:00Z"));
  EXPECT_EQ(at("1990-12-31T15:59:60-08:00"), at("1991-01-01T00:00:00Z"));
  EXPECT_EQ(at("2017-01-01T05:29:60+05:30"), at("2017-01-01T00:00:00Z"));
  EXPECT_EQ(at("2016-12-31T23:59:60.5Z"), at("2017-01-01T00:00:00.5Z"));
}

TEST(TimestampTest, RejectsALeapSecondElsewhere) {
  for (const std::string_view text :
       {"2016-12-31T23:58:60Z", "2016-12-31T12:00:60Z", "2016-12-31T23:59:60+01:00",
        "2016-12-31T23:59:61Z", "1969-12-31T12:59:60Z"}) {
    EXPECT_FALSE(parse_timestamp(text).has_value()) << text;
  }
}

TEST(TimestampTest, RejectsWhatIsNotRfc3339) {
  for (const std::string_view text : {"",
                                      "T",
                                      "2026",
                                      "2026-01-31",
                                      "2026-01-31T12:00:00",
                                      "2026-01-31T12:00Z",
                                      "12:00:00Z",
                                      "2026-01-31 12:00:00Z",
                                      "2026-01-31T12:00:00 Z",
                                      " 2026-01-31T12:00:00Z",
                                      "2026-01-31T12:00:00Z ",
                                      "2026-01-31T12:00:00Zz",
                                      "2026-01-31T12:00:00Z\n",
                                      "2026-1-31T12:00:00Z",
                                      "2026-01-3T12:00:00Z",
                                      "26-01-31T12:00:00Z",
                                      "12026-01-31T12:00:00Z",
                                      "-2026-01-31T12:00:00Z",
                                      "+2026-01-31T12:00:00Z",
                                      "2026-01-31T2:00:00Z",
                                      "2026-01-31T12:0:00Z",
                                      "2026-01-31T12:00:0Z",
                                      "20260131T120000Z",
                                      "2026/01/31T12:00:00Z",
                                      "2026-01-31T12.00.00Z",
                                      "2026-W05-6T12:00:00Z",
                                      "2026-031T12:00:00Z",
                                      "2026-01-31T12:00:00.Z",
                                      "2026-01-31T12:00:00.+01:00",
                                      "2026-01-31T12:00:00,5Z",
                                      "2026-01-31T12:00:00.5",
                                      "2026-01-31T12:00:00.5.5Z",
                                      "2026-01-31T12:00:00+1:00",
                                      "2026-01-31T12:00:00+01",
                                      "2026-01-31T12:00:00+0100",
                                      "2026-01-31T12:00:00+01:0",
                                      "2026-01-31T12:00:00+01:00Z",
                                      "2026-01-31T12:00:00+24:00",
                                      "2026-01-31T12:00:00+01:60",
                                      "2026-01-31T12:00:00UTC",
                                      "2026-01-31T12:00:00+-1:00",
                                      "2026-00-31T12:00:00Z",
                                      "2026-13-31T12:00:00Z",
                                      "2026-01-00T12:00:00Z",
                                      "2026-01-32T12:00:00Z",
                                      "2026-01-31T24:00:00Z",
                                      "2026-01-31T12:60:00Z",
                                      "2026-01-31T12:00:61Z",
                                      "2026-01-31T12:00:99Z",
                                      "2026-99-99T99:99:99Z",
                                      "2026-01-31T12:00:00\xEF\xBC\xBA",
                                      "\xD9\xA2\xD9\xA0-01-31T12:00:00Z"}) {
    EXPECT_FALSE(parse_timestamp(text).has_value()) << text;
  }
}

bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_of_month(int year, int month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Every month of the calendar: its first and last day are where counting says, and the day after
// the last is none.
TEST(TimestampTest, KnowsTheLengthOfEveryMonth) {
  std::int64_t day_count = -719'528;  // 0000-01-01
  for (int year = 0; year <= 9999; ++year) {
    for (int month = 1; month <= 12; ++month) {
      const int last = days_of_month(year, month);
      const auto on = [&](int day) {
        return parse_timestamp(fmt::format("{:04}-{:02}-{:02}T00:00:00Z", year, month, day));
      };
      ASSERT_EQ(on(1).value().seconds, day_count * 86'400) << year << '-' << month;
      ASSERT_EQ(on(last).value().seconds, (day_count + last - 1) * 86'400) << year << '-' << month;
      ASSERT_FALSE(on(last + 1).has_value()) << year << '-' << month;
      day_count += last;
    }
  }
}

TEST(TimestampTest, WritesTheShortestForm) {
  const auto rewritten = [](std::string_view text) {
    return to_string(parse_timestamp(text).value());
  };
  EXPECT_EQ(rewritten("2026-01-02t03:04:05.250000z"), "2026-01-02T03:04:05.25Z");
  EXPECT_EQ(rewritten("2026-01-02T03:04:05.000Z"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(rewritten("2026-01-02T03:04:05.000000001Z"), "2026-01-02T03:04:05.000000001Z");
  EXPECT_EQ(rewritten("2026-01-02T00:30:00+01:00"), "2026-01-01T23:30:00Z");
  EXPECT_EQ(rewritten("1969-12-31T23:59:59.5Z"), "1969-12-31T23:59:59.5Z");
  EXPECT_EQ(rewritten("0000-01-01T00:00:00Z"), "0000-01-01T00:00:00Z");
  EXPECT_EQ(rewritten("2016-12-31T23:59:60Z"), "2017-01-01T00:00:00Z");
}

// An offset can name a moment outside the years that RFC 3339 can write in UTC.
TEST(TimestampTest, WritesAMomentBeyondTheCalendarWithAnOffset) {
  for (const std::string_view text :
       {"0000-01-01T00:00:00+00:01", "0000-01-01T00:00:00+23:59", "0000-01-01T22:00:00.5+23:00",
        "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.999999999-23:59",
        "9999-12-31T23:59:60Z"}) {
    const Timestamp timestamp = parse_timestamp(text).value();
    EXPECT_EQ(parse_timestamp(to_string(timestamp)), timestamp) << to_string(timestamp);
  }
  EXPECT_EQ(to_string(parse_timestamp("0000-01-01T00:00:00+01:00").value()),
            "0000-01-01T22:59:00+23:59");
  EXPECT_EQ(to_string(parse_timestamp("9999-12-31T23:00:00-01:00").value()),
            "9999-12-31T00:01:00-23:59");
}

TEST(TimestampTest, ReadsBackWhatItWrites) {
  constexpr std::uint64_t kSeed = 20260131;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  base::Prng prng(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    constexpr std::int64_t kFirst = -62167219200;
    constexpr std::uint64_t kSpan = 253402300800 + 62167219200;
    const Timestamp timestamp{kFirst + static_cast<std::int64_t>(prng.below(kSpan)),
                              static_cast<std::int32_t>(prng.below(1'000'000'000))};
    const std::string text = to_string(timestamp);
    ASSERT_EQ(parse_timestamp(text), timestamp) << text;
  }
}

}  // namespace
}  // namespace weir::event
