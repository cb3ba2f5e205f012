// SPDX-License-Identifier: Apache-2.0
#include "event/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace weir::event {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kFirstSecond = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number at a place of a text. What is no digit gives a number too large for any part of a
// time.
constexpr int two_digits(std::string_view text, std::size_t at) {
  constexpr int kWrong = 1'000'000;
  const bool ok = is_digit(text[at]) && is_digit(text[at + 1]);
  return ok ? (text[at] - '0') * 10 + (text[at + 1] - '0') : kWrong;
}

// Takes the digits after the point from the text, as nanoseconds; negative if there is none.
int take_fraction(std::string_view& text) {
  constexpr std::array<int, 10> kScales = {
      1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
  int value = 0;
  std::size_t count = 0;
  for (; count < text.size() && is_digit(text[count]); ++count) {
    if (count < 9) value = value * 10 + (text[count] - '0');
  }
  text.remove_prefix(count);
  return count == 0 ? -1 : value * kScales[std::min<std::size_t>(count, 9)];
}

// Seconds east of UTC, if the text is an offset.
std::optional<int> read_offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int hours = two_digits(text, 1);
  const int minutes = two_digits(text, 4);
  if (hours > 23 || minutes > 59) return std::nullopt;
  const int seconds = hours * 3600 + minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

struct Zone {
  std::int64_t offset_seconds;
  std::string_view name;
};

// UTC, except for the day that an offset can reach beyond the years 0000 to 9999.
Zone zone_for(std::int64_t seconds) {
  constexpr std::int64_t kOffsetMax = kSecondsPerDay - 60;
  if (seconds < kFirstSecond) return {kOffsetMax, "+23:59"};
  if (seconds > kLastSecond) return {-kOffsetMax, "-23:59"};
  return {0, "Z"};
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  constexpr std::size_t kSecondsEnd = 19;  // of 2026-01-31T12:00:00
  if (text.size() <= kSecondsEnd) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':') return std::nullopt;
  if (text[10] != 'T' && text[10] != 't') return std::nullopt;
  const int year = two_digits(text, 0) * 100 + two_digits(text, 2);
  const int month = two_digits(text, 5);
  const int day = two_digits(text, 8);
  const int hour = two_digits(text, 11);
  const int minute = two_digits(text, 14);
  const int second = two_digits(text, 17);
  if (year > 9999 || month > 12 || day > 31) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;

  std::string_view rest = text.substr(kSecondsEnd);
  int nanoseconds = 0;
  if (rest[0] == '.') {
    rest.remove_prefix(1);
    nanoseconds = take_fraction(rest);
  }
  const std::optional<int> offset_seconds = read_offset(rest);
  if (nanoseconds < 0 || !offset_seconds) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * kSecondsPerDay + std::int64_t{hour} * 3600 +
                               std::int64_t{minute} * 60 + second - *offset_seconds;
  // A leap second can only be the last one of a UTC day, so what follows it begins a day.
  if (second == 60 && seconds % kSecondsPerDay != 0) return std::nullopt;
  return Timestamp{seconds, nanoseconds};
}

std::string to_string(Timestamp timestamp) {
  const Zone zone = zone_for(timestamp.seconds);
  const std::chrono::sys_seconds point(
      std::chrono::seconds(timestamp.seconds + zone.offset_seconds));
  const auto day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(point - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  time.hours().count(), time.minutes().count(), time.seconds().count());
  if (timestamp.nanoseconds != 0) {
    std::string fraction = fmt::format(".{:09}", timestamp.nanoseconds);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += fraction;
  }
  return text.append(zone.name);
}

}  // namespace weir::event
