// SPDX-License-Identifier: Apache-2.0
#include "event/timestamp.h"

#include <fmt/format.h>

#include <chrono>

namespace weir::event {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kFirstSecond = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads an RFC 3339 text from left to right; the first mismatch makes every later read fail.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return offset_ == text_.size(); }
  void fail() { ok_ = false; }

  int digits(int count) {
    int value = 0;
    for (int i = 0; i < count && ok_; ++i) {
      if (at_end() || !is_digit(text_[offset_])) return fail(), 0;
      value = value * 10 + (text_[offset_++] - '0');
    }
    return value;
  }

  // Reads one of two characters, if it is there, and tells which.
  char take(char either, char other) {
    const char c = ok_ && !at_end() ? text_[offset_] : '\0';
    if (c != either && c != other) return '\0';
    ++offset_;
    return c;
  }
  void expect(char either, char other) {
    if (take(either, other) == '\0') fail();
  }
  void expect(char c) { expect(c, c); }

  // The digits after the point, as nanoseconds; at least one is required.
  int fraction() {
    int value = 0;
    int scale = 100'000'000;
    if (at_end() || !is_digit(text_[offset_])) fail();
    while (ok_ && !at_end() && is_digit(text_[offset_])) {
      value += (text_[offset_++] - '0') * scale;
      scale /= 10;
    }
    return value;
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  bool ok_ = true;
};

// Seconds east of UTC.
int read_offset(Reader& reader) {
  if (reader.take('Z', 'z') != '\0') return 0;
  const char sign = reader.take('+', '-');
  if (sign == '\0') reader.fail();
  const int hours = reader.digits(2);
  reader.expect(':');
  const int minutes = reader.digits(2);
  if (hours > 23 || minutes > 59) reader.fail();
  const int seconds = hours * 3600 + minutes * 60;
  return sign == '-' ? -seconds : seconds;
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
  Reader reader(text);
  const int year = reader.digits(4);
  reader.expect('-');
  const int month = reader.digits(2);
  reader.expect('-');
  const int day = reader.digits(2);
  reader.expect('T', 't');
  const int hour = reader.digits(2);
  reader.expect(':');
  const int minute = reader.digits(2);
  reader.expect(':');
  const int second = reader.digits(2);
  const int nanoseconds = reader.take('.', '.') != '\0' ? reader.fraction() : 0;
  const int offset_seconds = read_offset(reader);
  if (!reader.ok() || !reader.at_end()) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * kSecondsPerDay + std::int64_t{hour} * 3600 +
                               std::int64_t{minute} * 60 + second - offset_seconds;
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
