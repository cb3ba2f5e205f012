// SPDX-License-Identifier: Apache-2.0
// Timestamp: an RFC 3339 instant, compared by the moment it names, whatever its offset.
//
// Nanosecond resolution: further digits of a fraction are read and dropped. A leap second
// (23:59:60Z) is allowed at the end of a UTC day and compares as the second that follows it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::event {

struct Timestamp {
  std::int64_t seconds = 0;  // since 1970-01-01T00:00:00Z
  std::int32_t nanoseconds = 0;

  auto operator<=>(const Timestamp&) const = default;
};

// Nothing if the text is not exactly one RFC 3339 date-time.
std::optional<Timestamp> parse_timestamp(std::string_view text);

// The shortest RFC 3339 form in UTC: "2026-01-02T03:04:05.25Z". What lies outside the years 0000 to
// 9999 in UTC is written with the offset that brings it inside.
std::string to_string(Timestamp timestamp);

}  // namespace weir::event
