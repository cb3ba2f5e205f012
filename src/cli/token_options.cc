// SPDX-License-Identifier: Apache-2.0
#include "cli/token_options.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "broker/grant_text.h"
#include "cli/command_parsers.h"
#include "cli/option_values.h"
#include "cli/settings.h"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 4> kVerbs = {"create", "list", "rotate", "revoke"};
constexpr std::string_view kEverything = "all";

struct TokenWords {
  Arguments publish;
  Arguments subscribe;
  std::string expires;
  std::string overlap;
  std::string directory;
};

base::Result<void> add_scopes(std::string_view option, std::string_view kind,
                              const Arguments& scopes, broker::Grants& grants) {
  for (const std::string& scope : scopes) {
    const std::string text =
        scope == kEverything ? std::string(kind) : fmt::format("{}={}", kind, scope);
    if (!broker::add_grant(text, grants)) {
      return usage_error(fmt::format(
          "{} is '{}', expected all, source:PREFIX, type:PREFIX, or both with a comma between",
          option, scope));
    }
  }
  return {};
}

base::Result<void> take_positionals(const Arguments& positionals, TokenOptions& options) {
  if (positionals.empty())
    return usage_error("expected create, list, rotate or revoke, found none");
  const auto verb = choose_word("token", positionals[0], kVerbs);
  if (!verb) return verb.error();
  options.verb = static_cast<TokenVerb>(*verb);
  const std::size_t wanted = options.verb == TokenVerb::kList ? 1 : 2;
  if (positionals.size() < wanted) return usage_error("expected the name of a token, found none");
  if (positionals.size() > wanted) {
    return usage_error(fmt::format("unexpected argument '{}'", positionals[wanted]));
  }
  if (wanted == 2) options.name = positionals[1];
  return {};
}

base::Result<void> take_times(const TokenWords& words, TokenOptions& options) {
  if (!words.expires.empty()) {
    const auto expires = parse_window("--expires", words.expires);
    if (!expires) return expires.error();
    options.expires = *expires;
  }
  if (!words.overlap.empty()) {
    const auto overlap = parse_duration("--overlap", words.overlap);
    if (!overlap) return overlap.error();
    options.overlap = *overlap;
  }
  return {};
}

base::Result<void> take_words(const TokenWords& words, TokenOptions& options) {
  const bool any = !words.publish.empty() || !words.subscribe.empty() || options.grants.block ||
                   options.grants.admin;
  if (options.verb != TokenVerb::kCreate && (any || !words.expires.empty())) {
    return usage_error("grants and --expires are for weir token create only");
  }
  if (options.verb != TokenVerb::kRotate && !words.overlap.empty()) {
    return usage_error("--overlap is for weir token rotate only");
  }
  if (options.verb == TokenVerb::kCreate && !any) {
    return usage_error("expected what the token may do: --publish, --subscribe or --admin");
  }
  if (auto added = add_scopes("--publish", "publish", words.publish, options.grants); !added) {
    return added;
  }
  auto added = add_scopes("--subscribe", "subscribe", words.subscribe, options.grants);
  if (!added) return added;
  if (!words.directory.empty()) {
    options.flags.push_back(
        {.setting = find_setting("store.directory"), .texts = {words.directory}});
  }
  return {};
}

}  // namespace

base::Result<Options> parse_token_command(const CommandHelp& help, const Arguments& arguments) {
  TokenOptions options;
  TokenWords words;
  ArgumentParser parser(help);
  parser.list("--publish", words.publish, "SCOPE", "May publish: all, source:PREFIX,type:PREFIX");
  parser.list("--subscribe", words.subscribe, "SCOPE", "May see events: the same");
  parser.flag("--block", options.grants.block, "Its subscriptions may make publishers wait");
  parser.flag("--admin", options.grants.admin, "Sees and changes what others have; metrics");
  parser.text("--expires", words.expires, "DURATION", "From now, as 90d; never unless given");
  parser.text("--overlap", words.overlap, "DURATION",
              "Of rotate: how long the secret before stays valid; 24h unless given");
  parser.text("--data", words.directory, "DIR", "The broker's; weir-data unless given");
  parser.text("--config", options.config_path, "FILE", "The broker's, which names its directory");
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  if (auto taken = take_positionals(std::get<Arguments>(*parsed), options); !taken) {
    return taken.error();
  }
  if (auto taken = take_words(words, options); !taken) return taken.error();
  if (auto taken = take_times(words, options); !taken) return taken.error();
  return options;
}

}  // namespace weir::cli
