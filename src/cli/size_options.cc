// SPDX-License-Identifier: Apache-2.0
#include "cli/size_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command_parsers.h"
#include "cli/option_values.h"
#include "filter/limits.h"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 2> kSubjects = {"distinct", "bloom"};
constexpr double kNanosecondsPerSecond = 1e9;

struct SizeWords {
  std::string rate;
  std::string window;
  std::string keys;
  std::string false_positives;
};

// A number above zero at the start of the text, and what follows it.
struct NumberPrefix {
  double number;
  std::string_view rest;
};

std::optional<NumberPrefix> parse_number_prefix(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc() || !std::isfinite(number) || number <= 0) return std::nullopt;
  return NumberPrefix{number, {rest, static_cast<std::size_t>(end - rest)}};
}

// Keys per second.
base::Result<double> parse_rate(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"/s", 1}, {"/m", 60}, {"/h", 3600}, {"/d", 86'400}}};
  if (const auto prefix = parse_number_prefix(text)) {
    for (const auto& [unit, seconds] : kUnits) {
      if (prefix->rest == unit) return prefix->number / seconds;
    }
  }
  return usage_error(fmt::format(
      "--rate is '{}', expected distinct keys per time, such as 50000/s, 300/m or 1e6/h", text));
}

base::Result<double> parse_key_count(std::string_view text) {
  const auto prefix = parse_number_prefix(text);
  if (prefix && prefix->rest.empty() && prefix->number >= 1 && prefix->number <= kSizeKeyCountMax) {
    return prefix->number;
  }
  return usage_error(
      fmt::format("--keys is '{}', expected a number of keys from 1 to {:g}, such as 5000000", text,
                  kSizeKeyCountMax));
}

base::Result<double> parse_false_positives(std::string_view text) {
  const auto prefix = parse_number_prefix(text);
  if (prefix && (prefix->rest.empty() || prefix->rest == "%")) {
    const double rate = prefix->rest.empty() ? prefix->number : prefix->number / 100;
    if (rate >= filter::kFalsePositivesMin && rate <= filter::kFalsePositivesMax) return rate;
  }
  return usage_error(
      fmt::format("--fp is '{}', expected a share from {:g} to {:g}, such as 0.001 "
                  "or 0.1%",
                  text, filter::kFalsePositivesMin, filter::kFalsePositivesMax));
}

base::Result<void> take_subject(const Arguments& positionals, SizeOptions& options) {
  if (positionals.empty()) return usage_error("expected distinct or bloom, found none");
  const auto subject = choose_word("what to size", positionals[0], kSubjects);
  if (!subject) return subject.error();
  options.subject = static_cast<SizeSubject>(*subject);
  if (positionals.size() > 1) {
    return usage_error(fmt::format("unexpected argument '{}'", positionals[1]));
  }
  return {};
}

base::Result<void> take_distinct(const SizeWords& words, SizeOptions& options) {
  if (!words.keys.empty()) return usage_error("--keys is for weir size bloom only");
  if (words.rate.empty()) return usage_error("expected --rate N/s, found none");
  if (words.window.empty()) return usage_error("expected --window DURATION, found none");
  const auto rate = parse_rate(words.rate);
  if (!rate) return rate.error();
  const auto window = parse_window("--window", words.window);
  if (!window) return window.error();
  options.keys_per_second = *rate;
  options.window = *window;
  const double seconds = static_cast<double>(window->nanoseconds) / kNanosecondsPerSecond;
  options.key_count = std::max(1.0, *rate * seconds);
  if (options.key_count <= kSizeKeyCountMax) return {};
  return usage_error(fmt::format("--rate and --window make {:.3g} keys, expected at most {:g}",
                                 options.key_count, kSizeKeyCountMax));
}

base::Result<void> take_bloom(const SizeWords& words, SizeOptions& options) {
  if (!words.rate.empty() || !words.window.empty()) {
    return usage_error("--rate and --window are for weir size distinct only");
  }
  if (words.keys.empty()) return usage_error("expected --keys N, found none");
  const auto key_count = parse_key_count(words.keys);
  if (!key_count) return key_count.error();
  options.key_count = *key_count;
  return {};
}

base::Result<void> take_words(const SizeWords& words, SizeOptions& options) {
  if (!words.false_positives.empty()) {
    const auto rate = parse_false_positives(words.false_positives);
    if (!rate) return rate.error();
    options.false_positives = *rate;
  }
  return options.subject == SizeSubject::kDistinct ? take_distinct(words, options)
                                                   : take_bloom(words, options);
}

}  // namespace

base::Result<Options> parse_size_command(const CommandHelp& help, const Arguments& arguments) {
  SizeOptions options;
  SizeWords words;
  ArgumentParser parser(help);
  parser.text("--rate", words.rate, "N/s|N/m|N/h", "Of distinct: distinct keys per time, at most");
  parser.text("--window", words.window, "DURATION", "Of distinct: how long to remember, as 1h30m");
  parser.text("--keys", words.keys, "N", "Of bloom: how many keys, at most");
  parser.text("--fp", words.false_positives, "SHARE",
              "False positives allowed, as 0.001 or 0.1%; 0.1% unless given");
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  if (auto taken = take_subject(std::get<Arguments>(*parsed), options); !taken) {
    return taken.error();
  }
  if (auto taken = take_words(words, options); !taken) return taken.error();
  return options;
}

}  // namespace weir::cli
