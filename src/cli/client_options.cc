// SPDX-License-Identifier: Apache-2.0
#include "cli/client_options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "broker/start.h"
#include "cli/command_parsers.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

constexpr std::size_t kBatchCountMax = 10'000;

base::Result<std::uint64_t> parse_count(std::string_view option, std::string_view text,
                                        std::uint64_t count_max) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, count);
  if (failed == std::errc() && rest == end && count >= 1 && count <= count_max) return count;
  return usage_error(
      fmt::format("{} is '{}', expected a whole number from 1 to {}", option, text, count_max));
}

void declare(ArgumentParser& parser, EventOptions& event) {
  parser.text("--type", event.type, "TEXT", "Publish one event of this type, made of these");
  parser.text("--source", event.source, "URI", "Its source; /weir/publish unless given");
  parser.text("--id", event.id, "TEXT", "Its id; a random one unless given");
  parser.text("--subject", event.subject, "TEXT", "Its subject; none unless given");
  parser.text("--data", event.data, "JSON", "Its data; none unless given");
}

base::Result<void> check(const PublishOptions& options, const Arguments& positionals) {
  const EventOptions& event = options.event;
  if (positionals.size() > 1) {
    return usage_error(fmt::format("unexpected argument '{}'", positionals[1]));
  }
  if (!event.type.empty()) {
    if (positionals.empty()) return {};
    return usage_error("expected a file or --type, found both");
  }
  if (event.source.empty() && event.id.empty() && event.subject.empty() && event.data.empty()) {
    return {};
  }
  return usage_error("an event made of flags needs --type");
}

constexpr std::array<std::string_view, 7> kVerbs = {"list",   "show",   "create",  "replace",
                                                    "delete", "forget", "transfer"};
constexpr std::array<std::string_view, 3> kLetterVerbs = {"list", "resend", "purge"};
constexpr std::uint64_t kDeliveryMax = std::uint64_t{1} << 62U;

std::string_view file_contents(SubscriptionsVerb verb) {
  return verb == SubscriptionsVerb::kForget ? "the event" : "the subscription's document";
}

// transfer ID OWNER, or with --all-of only OWNER.
base::Result<void> take_transfer(const Arguments& positionals, SubscriptionsOptions& options) {
  const std::size_t wanted = options.all_of.empty() ? 3 : 2;
  if (positionals.size() < wanted) {
    return usage_error(positionals.size() + 1 < wanted
                           ? "expected the id of a subscription and its new owner, found none"
                           : "expected the name of the new owner, found none");
  }
  if (positionals.size() > wanted) {
    return usage_error(fmt::format("unexpected argument '{}'", positionals[wanted]));
  }
  if (options.all_of.empty()) options.id = positionals[1];
  options.owner = positionals.back();
  return {};
}

base::Result<void> take_positionals(const Arguments& positionals, SubscriptionsOptions& options) {
  if (positionals.empty()) return usage_error("expected what to do, such as list, found none");
  const auto verb = choose_word("subscriptions", positionals[0], kVerbs);
  if (!verb) return verb.error();
  options.verb = static_cast<SubscriptionsVerb>(*verb);
  if (options.verb == SubscriptionsVerb::kTransfer) return take_transfer(positionals, options);
  if (!options.all_of.empty()) return usage_error("--all-of is for transfer only");
  const bool has_id =
      options.verb != SubscriptionsVerb::kList && options.verb != SubscriptionsVerb::kCreate;
  const bool has_file = options.verb == SubscriptionsVerb::kCreate ||
                        options.verb == SubscriptionsVerb::kReplace ||
                        options.verb == SubscriptionsVerb::kForget;
  const std::size_t wanted = 1 + (has_id ? 1U : 0U) + (has_file ? 1U : 0U);
  if (positionals.size() < wanted) {
    return usage_error(positionals.size() == 1 && has_id
                           ? "expected the id of a subscription, found none"
                           : fmt::format("expected a file with {}, or -, found none",
                                         file_contents(options.verb)));
  }
  if (positionals.size() > wanted) {
    return usage_error(fmt::format("unexpected argument '{}'", positionals[wanted]));
  }
  if (has_id) options.id = positionals[1];
  if (has_file) options.input_path = positionals.back();
  return {};
}

base::Result<void> take_positionals(const Arguments& positionals, DeadLettersOptions& options) {
  if (positionals.empty()) return usage_error("expected list, resend or purge, found none");
  const auto verb = choose_word("dead-letters", positionals[0], kLetterVerbs);
  if (!verb) return verb.error();
  options.verb = static_cast<DeadLettersVerb>(*verb);
  if (positionals.size() == 1) return usage_error("expected the id of a subscription, found none");
  options.id = positionals[1];
  const std::size_t wanted_max = options.verb == DeadLettersVerb::kList ? 2 : 3;
  if (positionals.size() > wanted_max) {
    return usage_error(fmt::format("unexpected argument '{}'", positionals[wanted_max]));
  }
  if (positionals.size() < 3) return {};
  const auto delivery = parse_count("the number of the letter", positionals[2], kDeliveryMax);
  if (!delivery) return delivery.error();
  options.delivery = *delivery;
  return {};
}

}  // namespace

void declare(ArgumentParser& parser, ConnectionOptions& options) {
  parser.text("--url", options.url, "URL", "Of the broker; http://127.0.0.1:8080 unless given");
  parser.text("--token", options.token, "TOKEN", "To present; $WEIR_TOKEN unless given");
  parser.text("--token-file", options.token_path, "FILE", "That has the token");
  parser.text("--ca-file", options.ca_path, "FILE", "Certificates to trust; the system's if none");
  parser.flag("--insecure", options.insecure, "Take every certificate");
  parser.json(options.json);
}

base::Result<void> check(const ConnectionOptions& options) {
  if (options.token.empty() || options.token_path.empty()) return {};
  return usage_error("expected --token or --token-file, found both");
}

base::Result<Options> parse_publish_command(const CommandHelp& help, const Arguments& arguments) {
  PublishOptions options;
  std::string batch;
  std::string retry;
  ArgumentParser parser(help);
  declare(parser, options.connection);
  declare(parser, options.event);
  parser.text("--batch", batch, "N", "Events in one request, at most; 100 unless given");
  parser.text("--retry", retry, "DURATION", "How long to try again if busy; 30s unless given");
  parser.flag("--keep-going", options.keep_going,
              "Report bad events and go on; still exits with 2");
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  const auto& positionals = std::get<Arguments>(*parsed);
  if (auto checked = check(options, positionals); !checked) return checked.error();
  if (auto checked = check(options.connection); !checked) return checked.error();
  if (!positionals.empty()) options.input_path = positionals[0];
  if (!batch.empty()) {
    const auto count = parse_count("--batch", batch, kBatchCountMax);
    if (!count) return count.error();
    options.batch_count = *count;
  }
  if (!retry.empty()) {
    const auto duration = parse_window("--retry", retry);
    if (!duration) return duration.error();
    options.retry = *duration;
  }
  return options;
}

namespace {

base::Result<void> check_from(const SubscribeOptions& options) {
  if (options.from.empty()) return {};
  if (options.filter.empty()) {
    return usage_error("--from is for a new subscription: expected a filter, found none");
  }
  const auto start = broker::parse_start(options.from);
  if (!start) return usage_error("--from: " + start.error().message);
  return {};
}

}  // namespace

base::Result<Options> parse_subscribe_command(const CommandHelp& help, const Arguments& arguments) {
  SubscribeOptions options;
  std::string count;
  bool no_reconnect = false;
  ArgumentParser parser(help);
  parser.text("--id", options.id, "NAME", "Of a durable subscription, which remembers what it had");
  parser.text("--filter", options.filter, "FILTER", "The same as the argument");
  parser.text("--from", options.from, "START",
              "Begin with old events: earliest, a sequence or a time");
  parser.flag("--shared", options.shared, "Share it with others: each delivery goes to one");
  parser.text("--count", count, "N", "End after so many deliveries");
  parser.flag("--no-reconnect", no_reconnect, "End when the connection is lost");
  declare(parser, options.connection);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  const auto& positionals = std::get<Arguments>(*parsed);
  if (positionals.size() + (options.filter.empty() ? 0U : 1U) > 1) {
    return usage_error("expected one filter, found more: is it in quotes?");
  }
  if (!positionals.empty()) options.filter = positionals[0];
  if (options.filter.empty() && options.id.empty()) {
    return usage_error("expected a filter, or --id NAME, found none");
  }
  if (options.shared && (options.filter.empty() || options.id.empty())) {
    return usage_error("--shared makes a durable subscription: expected --id NAME and a filter");
  }
  if (auto checked = check(options.connection); !checked) return checked.error();
  if (auto checked = check_from(options); !checked) return checked.error();
  if (!count.empty()) {
    const auto number = parse_count("--count", count, std::uint64_t{1} << 50U);
    if (!number) return number.error();
    options.count = *number;
  }
  options.reconnect = !no_reconnect;
  return options;
}

base::Result<Options> parse_subscriptions_command(const CommandHelp& help,
                                                  const Arguments& arguments) {
  SubscriptionsOptions options;
  ArgumentParser parser(help);
  declare(parser, options.connection);
  parser.text("--all-of", options.all_of, "OWNER", "Transfer all that this owner has");
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  if (auto taken = take_positionals(std::get<Arguments>(*parsed), options); !taken) {
    return taken.error();
  }
  if (auto checked = check(options.connection); !checked) return checked.error();
  return options;
}

base::Result<Options> parse_dead_letters_command(const CommandHelp& help,
                                                 const Arguments& arguments) {
  DeadLettersOptions options;
  ArgumentParser parser(help);
  declare(parser, options.connection);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  if (auto taken = take_positionals(std::get<Arguments>(*parsed), options); !taken) {
    return taken.error();
  }
  if (auto checked = check(options.connection); !checked) return checked.error();
  return options;
}

}  // namespace weir::cli
