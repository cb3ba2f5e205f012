// SPDX-License-Identifier: Apache-2.0
#include "filter/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace weir::filter {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::array kUnits = {Unit{"w", kSecond * 7 * 86'400},
                               Unit{"d", kSecond * 86'400},
                               Unit{"h", 3600 * kSecond},
                               Unit{"m", 60 * kSecond},
                               Unit{"s", kSecond},
                               Unit{"ms", kSecond / 1000},
                               Unit{"us", kSecond / 1'000'000},
                               Unit{"ns", 1}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Adds one `number unit` of the text to the sum; 0 if there is none or it overflows.
std::size_t read_part(std::string_view text, std::int64_t& sum) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 0) return 0;
  const auto digits = static_cast<std::size_t>(end - text.data());
  std::size_t letters = 0;
  while (digits + letters < text.size() && is_letter(text[digits + letters])) ++letters;
  const auto* const unit = std::ranges::find(kUnits, text.substr(digits, letters), &Unit::name);
  if (unit == kUnits.end()) return 0;
  std::int64_t part = 0;
  if (__builtin_mul_overflow(count, unit->nanoseconds, &part)) return 0;
  if (__builtin_add_overflow(sum, part, &sum)) return 0;
  return digits + letters;
}

}  // namespace

std::optional<DurationPrefix> parse_duration_prefix(std::string_view text) {
  DurationPrefix prefix{{}, 0};
  do {
    const std::size_t part =
        read_part(text.substr(prefix.length_bytes), prefix.duration.nanoseconds);
    if (part == 0) return std::nullopt;
    prefix.length_bytes += part;
  } while (prefix.length_bytes < text.size() && text[prefix.length_bytes] >= '0' &&
           text[prefix.length_bytes] <= '9');
  return prefix;
}

std::string to_text(base::Duration duration) {
  if (duration.nanoseconds == 0) return "0s";
  std::string text;
  std::int64_t rest = duration.nanoseconds;
  for (const Unit& unit : kUnits) {
    if (rest >= unit.nanoseconds) text += fmt::format("{}{}", rest / unit.nanoseconds, unit.name);
    rest %= unit.nanoseconds;
  }
  return text;
}

}  // namespace weir::filter
