// SPDX-License-Identifier: Apache-2.0
// The options of explain, which are of two kinds: for a filter, and for a subscription of a broker.
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cli/command_parsers.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

// The options that go with --filter, before they are checked; empty: not given.
struct ExplainWords {
  std::string dialect;
  std::string initial;
  std::string language;
};

void declare(ArgumentParser& parser, ExplainOptions& options, ExplainWords& words) {
  parser.text("--filter", options.filter, "EXPR", "The filter to explain");
  parser.text("--id", options.id, "NAME", "Or the subscription, as it stands in the broker");
  parser.text("--event", options.event_path, "FILE", "The event, as JSON; stdin unless given");
  parser.text("--history", options.history_path, "FILE",
              "Events published before, as JSON lines; none unless given");
  parser.dialect(words.dialect);
  parser.initial(words.initial);
  parser.language(words.language);
  declare(parser, options.connection);
}

// The first option given that only the other kind has; empty: none.
std::string_view misplaced(const ExplainOptions& options, const ExplainWords& words) {
  const ConnectionOptions& connection = options.connection;
  if (options.id.empty()) {
    if (connection.url != ConnectionOptions().url) return "--url";
    if (!connection.token.empty()) return "--token";
    if (!connection.token_path.empty()) return "--token-file";
    if (!connection.ca_path.empty()) return "--ca-file";
    return connection.insecure ? "--insecure" : "";
  }
  if (!options.history_path.empty()) return "--history";
  if (!words.dialect.empty()) return "--dialect";
  if (!words.initial.empty()) return "--initial";
  return words.language.empty() ? "" : "--language";
}

base::Result<void> check(const ExplainOptions& options, const ExplainWords& words,
                         const Arguments& rest) {
  if (!rest.empty()) return usage_error(fmt::format("unexpected argument '{}'", rest[0]));
  if (options.filter.empty() == options.id.empty()) {
    return usage_error(fmt::format("expected --filter EXPR or --id NAME, found {}",
                                   options.id.empty() ? "none" : "both"));
  }
  if (const auto option = misplaced(options, words); !option.empty()) {
    return usage_error(
        fmt::format("{} goes with {}", option,
                    options.id.empty() ? "--id, not with --filter" : "--filter, not with --id"));
  }
  if (options.history_path == kStdin && options.event_path == kStdin) {
    return usage_error("stdin can be the event or the history, not both: use --event FILE");
  }
  return check(options.connection);
}

base::Result<Options> checked(ExplainOptions options, const ExplainWords& words) {
  if (!words.dialect.empty()) {
    const auto dialect = parse_dialect(words.dialect);
    if (!dialect) return dialect.error();
    options.dialect = *dialect;
  }
  if (!words.initial.empty()) {
    const auto initial = parse_initial(words.initial);
    if (!initial) return initial.error();
    options.initial = *initial;
  }
  if (!words.language.empty()) {
    auto language = parse_language(words.language);
    if (!language) return language.error();
    options.language = std::move(*language);
  }
  return options;
}

}  // namespace

base::Result<Options> parse_explain_command(const CommandHelp& help, const Arguments& arguments) {
  ExplainOptions options;
  ExplainWords words;
  ArgumentParser parser(help);
  declare(parser, options, words);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  const auto& rest = std::get<Arguments>(*parsed);
  if (auto good = check(options, words, rest); !good) return good.error();
  return checked(std::move(options), words);
}

}  // namespace weir::cli
