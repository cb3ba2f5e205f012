// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/near_name.h"
#include "cli/command_parsers.h"
#include "cli/help.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

struct Command {
  std::string_view name;
  base::Result<Options> (*parse)(const CommandHelp&, const Arguments&);
};

constexpr std::array kCommands = {
    Command{"check", parse_check_command},
    Command{"explain", parse_explain_command},
    Command{"filter", parse_filter_command},
    Command{"eval", parse_eval_command},
    Command{"analyze", parse_analyze_command},
    Command{"corpus", parse_corpus_command},
    Command{"size", parse_size_command},
    Command{"sim", parse_sim_command},
    Command{"serve", parse_serve_command},
    Command{"publish", parse_publish_command},
    Command{"subscribe", parse_subscribe_command},
    Command{"subscriptions", parse_subscriptions_command},
    Command{"dead-letters", parse_dead_letters_command},
    Command{"token", parse_token_command},
    Command{"backup", parse_backup_command},
    Command{"restore", parse_restore_command},
    Command{"doctor", parse_doctor_command},
    Command{"member", parse_member_command},
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
