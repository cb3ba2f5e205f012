// SPDX-License-Identifier: Apache-2.0
#include "cli/member_options.h"

#include <fmt/format.h>

#include <utility>

#include "cli/command_parsers.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

base::Result<void> take_durations(const std::string& heartbeat, const std::string& lease,
                                  MemberOptions& options) {
  if (!heartbeat.empty()) {
    const auto parsed = parse_window("--heartbeat", heartbeat);
    if (!parsed) return parsed.error();
    options.heartbeat_interval = *parsed;
    options.lease = {parsed->nanoseconds * 5};
  }
  if (!lease.empty()) {
    const auto parsed = parse_window("--lease", lease);
    if (!parsed) return parsed.error();
    options.lease = *parsed;
  }
  if (options.lease.nanoseconds >= 2 * options.heartbeat_interval.nanoseconds) return {};
  return usage_error(fmt::format("--lease is '{}', expected at least two heartbeats", lease));
}

}  // namespace

base::Result<Options> parse_member_command(const CommandHelp& help, const Arguments& arguments) {
  MemberOptions options;
  std::string heartbeat;
  std::string lease;
  ArgumentParser parser(help);
  parser.text("--nats", options.url, "URL", "The NATS server; nats://127.0.0.1:4222 unless given");
  parser.text("--cluster", options.cluster, "NAME", "The cluster; weir unless given");
  parser.text("--name", options.name, "NAME", "This member's name, which no other may have");
  parser.text("--metrics", options.metrics_path, "FILE", "Write metrics there every second");
  parser.text("--heartbeat", heartbeat, "DURATION",
              "How often members tell that they are there; 500ms unless given");
  parser.text("--lease", lease, "DURATION",
              "After which silence a member is gone; five heartbeats unless given");
  parser.json(options.json);
  auto parsed = parser.parse(arguments);
  if (!parsed) return parsed.error();
  if (auto* print = std::get_if<PrintOptions>(&*parsed)) return std::move(*print);
  if (const auto& extra = std::get<Arguments>(*parsed); !extra.empty()) {
    return usage_error(fmt::format("unexpected argument '{}'", extra[0]));
  }
  if (options.name.empty()) return usage_error("expected --name NAME, found none");
  if (auto taken = take_durations(heartbeat, lease, options); !taken) return taken.error();
  return options;
}

}  // namespace weir::cli
