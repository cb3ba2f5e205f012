// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/near_name.h"
#include "filter/duration.h"
#include "match/text_analyzer.h"
#include "match/text_language.h"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 3> kDialects = {"weir", "cesql", "json"};
constexpr std::array<std::string_view, 2> kClocks = {"event", "wall"};
constexpr std::array<std::string_view, 2> kInitials = {"deliver", "none"};
constexpr std::array<std::pair<std::string_view, unsigned>, 4> kUnits = {
    {{"", 0U}, {"KiB", 10U}, {"MiB", 20U}, {"GiB", 30U}}};
constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 30U;

base::Error no_duration(std::string_view option, std::string_view text) {
  return usage_error(
      fmt::format("{} is '{}', expected a duration such as 90s, 10m or 1h30m", option, text));
}

}  // namespace

base::Error usage_error(std::string message) {
  return {base::ErrorId::kCliUsage, std::move(message), std::nullopt};
}

base::Result<std::size_t> choose_word(std::string_view option, std::string_view word,
                                      std::span<const std::string_view> names) {
  const auto found = std::ranges::find(names, word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return usage_error(fmt::format("{} is '{}', expected one of: {}{}", option, word,
                                 fmt::join(names, " "), base::did_you_mean(word, names)));
}

base::Result<Dialect> parse_dialect(std::string_view word) {
  const auto index = choose_word("--dialect", word, kDialects);
  if (!index) return index.error();
  return static_cast<Dialect>(*index);
}

base::Result<ClockKind> parse_clock(std::string_view word) {
  const auto index = choose_word("--clock", word, kClocks);
  if (!index) return index.error();
  return static_cast<ClockKind>(*index);
}

base::Result<match::Initial> parse_initial(std::string_view word) {
  const auto index = choose_word("--initial", word, kInitials);
  if (!index) return index.error();
  return *index == 0 ? match::Initial::kDeliver : match::Initial::kNone;
}

base::Result<std::string> parse_language(std::string_view word) {
  if (auto name = match::text_language(word)) return *std::move(name);
  const std::vector<std::string> names = match::TextAnalyzer::languages();
  const std::vector<std::string_view> views(names.begin(), names.end());
  return choose_word("--language", word, views).error();
}

base::Result<base::Duration> parse_duration(std::string_view option, std::string_view text) {
  const auto parsed = filter::parse_duration_prefix(text);
  if (parsed && parsed->length_bytes == text.size()) return parsed->duration;
  return no_duration(option, text);
}

base::Result<base::Duration> parse_window(std::string_view option, std::string_view text) {
  auto parsed = parse_duration(option, text);
  if (parsed && parsed->nanoseconds == 0) return no_duration(option, text);
  return parsed;
}

base::Result<std::size_t> parse_bytes(std::string_view option, std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const auto* const known = std::ranges::find(kUnits, unit, &decltype(kUnits)::value_type::first);
  const bool ok = failed == std::errc() && known != kUnits.end() && number > 0 &&
                  number <= (kBytesMax >> known->second);
  if (ok) return static_cast<std::size_t>(number << known->second);
  return usage_error(fmt::format(
      "{} is '{}', expected a number of bytes such as 65536 or 16MiB, at most 1GiB", option, text));
}

std::string_view to_string(Dialect dialect) { return kDialects[static_cast<std::size_t>(dialect)]; }

}  // namespace weir::cli
