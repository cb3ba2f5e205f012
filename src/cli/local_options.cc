// SPDX-License-Identifier: Apache-2.0
// The options of check, filter, eval, analyze and corpus, which need no broker.
#include <fmt/format.h>

#include <utility>

#include "cli/command_parsers.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

base::Error expected_one(std::string_view what, const Arguments& found) {
  if (found.empty()) return usage_error(fmt::format("expected {}, found none", what));
  return usage_error(
      fmt::format("expected {}, found {} arguments: is it in quotes?", what, found.size()));
}

// The options of `weir filter` that are words or numbers, before they are checked.
struct FilterWords {
  std::string dialect = "weir";
  std::string initial = "deliver";
  std::string clock = "event";
  std::string dedup;
  std::string line_bytes_max;
};

void declare(ArgumentParser& parser, FilterOptions& options, FilterWords& words) {
  parser.text("--filters", options.filters_path, "FILE", "More filters, one per line");
  parser.dialect(words.dialect);
  parser.text("--input", options.input_path, "FILE", "Events as JSON lines; stdin unless given");
  parser.json(options.json);
  parser.flag("--stats", options.stats, "Write counts of what became of the events to stderr");
  parser.flag("--keep-going", options.keep_going, "Report bad lines and go on; still exits with 2");
  parser.text("--dedup", words.dedup, "DURATION",
              "Drop events whose source and id came within that time, as 1h30m");
  parser.initial(words.initial);
  parser.text("--clock", words.clock, "event|wall",
              "When an event happens: its time, or now; event unless given");
  parser.language(options.language);
  parser.text("--line-bytes-max", words.line_bytes_max, "BYTES",
              "The longest line allowed; 16MiB unless given");
}

base::Result<Options> checked(FilterOptions options, const FilterWords& words) {
  const auto dialect = parse_dialect(words.dialect);
  if (!dialect) return dialect.error();
  const auto initial = parse_initial(words.initial);
  if (!initial) return initial.error();
  const auto clock = parse_clock(words.clock);
  if (!clock) return clock.error();
  auto language = parse_language(options.language);
  if (!language) return language.error();
  options.language = std::move(*language);
  options.dialect = *dialect;
  options.initial = *initial;
  options.clock = *clock;
  if (!words.dedup.empty()) {
    const auto window = parse_window("--dedup", words.dedup);
    if (!window) return window.error();
    options.dedup = *window;
  }
  if (!words.line_bytes_max.empty()) {
    const auto bytes = parse_bytes("--line-bytes-max", words.line_bytes_max);
    if (!bytes) return bytes.error();
    options.line_bytes_max = *bytes;
  }
  return options;
}

}  // namespace

base::Result<Options> parse_check_command(const CommandHelp& help, const Arguments& arguments) {
  CheckOptions options;
  std::string dialect = "weir";
  ArgumentParser parser(help);
  parser.dialect(dialect);
  parser.language(options.language);
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  auto& positionals = std::get<Arguments>(*parsed);
  if (positionals.size() != 1) return expected_one("one filter to check", positionals);
  options.expression = std::move(positionals[0]);
  const auto chosen = parse_dialect(dialect);
  if (!chosen) return chosen.error();
  auto language = parse_language(options.language);
  if (!language) return language.error();
  options.language = std::move(*language);
  options.dialect = *chosen;
  return options;
}

base::Result<Options> parse_filter_command(const CommandHelp& help, const Arguments& arguments) {
  FilterOptions options;
  FilterWords words;
  ArgumentParser parser(help);
  declare(parser, options, words);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  options.expressions = std::move(std::get<Arguments>(*parsed));
  if (options.expressions.empty() && options.filters_path.empty()) {
    return usage_error("expected at least one filter, or --filters FILE, found none");
  }
  if (options.filters_path == kStdin && options.input_path == kStdin) {
    return usage_error("stdin can be the filters or the events, not both: use --input FILE");
  }
  return checked(std::move(options), words);
}

base::Result<Options> parse_corpus_command(const CommandHelp& help, const Arguments& arguments) {
  CorpusOptions options;
  ArgumentParser parser(help);
  parser.text("--text", options.text, "TEXT",
              "Lines are events, of which this is read: text(data.a, html(data.b))");
  parser.flag("--whole", options.whole, "Each file is one document, not each of its lines");
  parser.language(options.language);
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  options.paths = std::move(std::get<Arguments>(*parsed));
  if (options.paths.empty()) {
    return usage_error("expected at least one file of documents, or - for stdin, found none");
  }
  auto language = parse_language(options.language);
  if (!language) return language.error();
  options.language = std::move(*language);
  return options;
}

base::Result<Options> parse_eval_command(const CommandHelp& help, const Arguments& arguments) {
  EvalOptions options;
  std::string dialect = "weir";
  ArgumentParser parser(help);
  parser.dialect(dialect);
  parser.text("--event", options.event_path, "FILE",
              "The event, as JSON; - is stdin; a minimal event unless given");
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  auto& positionals = std::get<Arguments>(*parsed);
  if (positionals.size() != 1) return expected_one("one expression", positionals);
  options.expression = std::move(positionals[0]);
  const auto chosen = parse_dialect(dialect);
  if (!chosen) return chosen.error();
  options.dialect = *chosen;
  return options;
}

base::Result<Options> parse_analyze_command(const CommandHelp& help, const Arguments& arguments) {
  AnalyzeOptions options;
  ArgumentParser parser(help);
  parser.text("--input", options.input_path, "FILE", "The text, in place of TEXT; - is stdin");
  parser.language(options.language);
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  auto& positionals = std::get<Arguments>(*parsed);
  if (options.input_path.empty()) {
    if (positionals.size() != 1) return expected_one("one text, - or --input FILE", positionals);
    (positionals[0] == kStdin ? options.input_path : options.text) = std::move(positionals[0]);
  } else if (!positionals.empty()) {
    return usage_error("expected a text or --input FILE, found both");
  }
  auto language = parse_language(options.language);
  if (!language) return language.error();
  options.language = std::move(*language);
  return options;
}

}  // namespace weir::cli
