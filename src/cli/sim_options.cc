// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_options.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "cli/command_parsers.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

struct SimWords {
  std::string seed;
  std::string seeds;
  std::string trace;
};

struct Bounds {
  std::uint64_t least;
  std::uint64_t most;
};

base::Result<std::uint64_t> parse_whole(std::string_view option, std::string_view text,
                                        Bounds bounds) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  const bool ok = failed == std::errc() && rest == end;
  if (ok && number >= bounds.least && number <= bounds.most) return number;
  return usage_error(fmt::format("{} is '{}', expected a whole number from {} to {}", option, text,
                                 bounds.least, bounds.most));
}

base::Result<protocol::Key> parse_key(std::string_view text) {
  protocol::Key key;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, key.value, 16);
  if (failed == std::errc() && rest == end) return key;
  return usage_error(
      fmt::format("--trace is '{}', expected a key of up to 16 hexadecimal digits", text));
}

base::Result<void> take_words(const SimWords& words, SimOptions& options) {
  if (!words.seed.empty()) {
    const auto seed = parse_whole("--seed", words.seed,
                                  {.least = 0, .most = std::numeric_limits<std::int64_t>::max()});
    if (!seed) return seed.error();
    options.seed = *seed;
  }
  if (!words.seeds.empty()) {
    const auto count = parse_whole("--seeds", words.seeds, {.least = 1, .most = kSimSeedsMax});
    if (!count) return count.error();
    options.seed_count = *count;
  }
  if (words.trace.empty()) return {};
  const auto key = parse_key(words.trace);
  if (!key) return key.error();
  options.trace_key = *key;
  if (options.paths.size() == 1 && options.seed_count == 1) return {};
  return usage_error("--trace follows one run, expected one file and no --seeds");
}

}  // namespace

base::Result<Options> parse_sim_command(const CommandHelp& help, const Arguments& arguments) {
  SimOptions options;
  SimWords words;
  ArgumentParser parser(help);
  parser.text("--seed", words.seed, "N", "Of chance, in place of the scenario's own");
  parser.text("--seeds", words.seeds, "COUNT",
              "So many seeds, one after another; a tenth of the runs is run twice");
  parser.text("--trace", words.trace, "KEY", "Tell all that happens about a key, in hexadecimal");
  parser.text("--svg", options.svg_directory, "DIR", "Write plots of each run there");
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  options.paths = std::move(std::get<Arguments>(*parsed));
  if (options.paths.empty()) {
    return usage_error("expected at least one file with a scenario, found none");
  }
  if (auto taken = take_words(words, options); !taken) return taken.error();
  return options;
}

}  // namespace weir::cli
