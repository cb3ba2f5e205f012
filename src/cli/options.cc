// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/near_name.h"
#include "cli/help.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

using Arguments = std::vector<std::string>;

class Formatter final : public CLI::Formatter {
 public:
  explicit Formatter(const CommandHelp& help) : help_(help) { column_width(28); }

  std::string make_usage(const CLI::App*, std::string) const override {
    return fmt::format("\nUsage: weir {}\n", help_.usage);
  }

 private:
  const CommandHelp& help_;
};

// A dash and a word; an expression such as -1 or -ABS(x) is none.
bool looks_like_option(std::string_view argument) {
  const std::string_view word = argument.substr(0, argument.find('='));
  const auto is_part = [](char c) {
    return c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return word.size() > 1 && word[0] == '-' && std::ranges::all_of(word, is_part);
}

// One command's options. Positional arguments are what is left over, since CLI11 takes one that
// stands in brackets, as a JSON array does, for a list of its own.
class Parser {
 public:
  explicit Parser(const CommandHelp& help) : app_(std::string(help.description)) {
    app_.formatter(std::make_shared<Formatter>(help));
    app_.footer("Example:\n" + std::string(help.example));
    app_.get_help_ptr()->description("Print this help and exit");
    app_.allow_extras();
  }

  void text(const std::string& name, std::string& value, const char* type, const char* meaning) {
    app_.add_option(name, value, meaning)->type_name(type);
  }
  void flag(const std::string& name, bool& value, const char* meaning) {
    app_.add_flag(name, value, meaning);
  }
  void json(bool& value) { flag("--json", value, "Write JSON; errors too"); }
  void dialect(std::string& value) {
    text("--dialect", value, "weir|cesql|json", "How filters are written; weir unless given");
  }
  void language(std::string& value) {
    text("--language", value, "NAME", "Of the text that about looks at; english unless given");
  }
  void initial(std::string& value) {
    text("--initial", value, "deliver|none",
         "What change does with a first value; deliver unless given");
  }

  // Gives the positional arguments, or the help if it was asked for.
  base::Result<std::variant<Arguments, PrintOptions>> parse(const Arguments& arguments) {
    const auto marker = std::ranges::find(arguments, "--");
    Arguments reversed(arguments.begin(), marker);
    std::ranges::reverse(reversed);
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
      return PrintOptions{app_.help()};
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what());
    }
    Arguments positionals = app_.remaining();
    for (const std::string& argument : positionals) {
      if (looks_like_option(argument)) return unknown_option(argument);
    }
    if (marker != arguments.end()) {
      positionals.insert(positionals.end(), std::next(marker), arguments.end());
    }
    return positionals;
  }

 private:
  base::Error unknown_option(const std::string& argument) const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app_.get_options()) names.push_back(option->get_name());
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string word = argument.substr(0, argument.find('='));
    std::string hint = base::did_you_mean(word, views);
    if (hint.empty()) hint = "; if it is an expression, write -- before it";
    return usage_error(fmt::format("unknown option '{}'{}", word, hint));
  }

  CLI::App app_;
};

base::Error expected_one(std::string_view what, const Arguments& found) {
  if (found.empty()) return usage_error(fmt::format("expected {}, found none", what));
  return usage_error(
      fmt::format("expected {}, found {} arguments: is it in quotes?", what, found.size()));
}

base::Result<Options> parse_check(const CommandHelp& help, const Arguments& arguments) {
  CheckOptions options;
  std::string dialect = "weir";
  Parser parser(help);
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
  if (const auto known = check_language(options.language); !known) return known.error();
  options.dialect = *chosen;
  return options;
}

base::Result<Options> parse_explain(const CommandHelp& help, const Arguments& arguments) {
  ExplainOptions options;
  std::string dialect = "weir";
  std::string initial = "deliver";
  Parser parser(help);
  parser.text("--filter", options.filter, "EXPR", "The filter to explain; required");
  parser.text("--event", options.event_path, "FILE", "The event, as JSON; stdin unless given");
  parser.text("--history", options.history_path, "FILE",
              "Events published before, as JSON lines; none unless given");
  parser.dialect(dialect);
  parser.initial(initial);
  parser.language(options.language);
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  if (const auto& rest = std::get<Arguments>(*parsed); !rest.empty()) {
    return usage_error(fmt::format("unexpected argument '{}'", rest[0]));
  }
  if (options.filter.empty()) return usage_error("expected --filter EXPR, found none");
  if (options.history_path == kStdin && options.event_path == kStdin) {
    return usage_error("stdin can be the event or the history, not both: use --event FILE");
  }
  const auto chosen = parse_dialect(dialect);
  if (!chosen) return chosen.error();
  const auto first = parse_initial(initial);
  if (!first) return first.error();
  if (const auto known = check_language(options.language); !known) return known.error();
  options.dialect = *chosen;
  options.initial = *first;
  return options;
}

// The options of `weir filter` that are words or numbers, before they are checked.
struct FilterWords {
  std::string dialect = "weir";
  std::string initial = "deliver";
  std::string clock = "event";
  std::string dedup;
  std::string line_bytes_max;
};

void declare(Parser& parser, FilterOptions& options, FilterWords& words) {
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
  if (const auto known = check_language(options.language); !known) return known.error();
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

base::Result<Options> parse_filter(const CommandHelp& help, const Arguments& arguments) {
  FilterOptions options;
  FilterWords words;
  Parser parser(help);
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

base::Result<Options> parse_eval(const CommandHelp& help, const Arguments& arguments) {
  EvalOptions options;
  std::string dialect = "weir";
  Parser parser(help);
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

struct Command {
  std::string_view name;
  base::Result<Options> (*parse)(const CommandHelp&, const Arguments&);
};

constexpr std::array kCommands = {
    Command{"check", parse_check},
    Command{"explain", parse_explain},
    Command{"filter", parse_filter},
    Command{"eval", parse_eval},
};

base::Error unknown_command(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  return usage_error(fmt::format("unknown {} '{}'{}", word.starts_with('-') ? "option" : "command",
                                 word, base::did_you_mean(word, names)));
}

}  // namespace

base::Result<Options> parse_arguments(const Arguments& arguments) {
  if (arguments.empty()) return usage_error("expected a command, found none");
  const std::string& word = arguments[0];
  if (word == "--version" || word == "-V") return PrintOptions{version_text()};
  if (word == "--help" || word == "-h") return PrintOptions{overview()};
  Arguments rest(std::next(arguments.begin()), arguments.end());
  if (word == "help") {
    if (rest.empty()) return PrintOptions{overview()};
    return parse_arguments({rest[0], "--help"});
  }
  const auto* const command = std::ranges::find(kCommands, word, &Command::name);
  if (command == kCommands.end()) return unknown_command(word);
  return command->parse(command_help(command->name), rest);
}

std::string help_command(const Arguments& arguments) {
  const auto known = [&](const Command& command) {
    return !arguments.empty() && command.name == arguments[0];
  };
  if (std::ranges::none_of(kCommands, known)) return "weir --help";
  return fmt::format("weir {} --help", arguments[0]);
}

bool wants_json(const Arguments& arguments) {
  const auto end = std::ranges::find(arguments, "--");
  return std::find(arguments.begin(), end, "--json") != end;
}

}  // namespace weir::cli
