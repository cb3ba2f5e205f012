// SPDX-License-Identifier: Apache-2.0
#include "cli/token_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "broker/broker_options.h"
#include "broker/grant_text.h"
#include "broker/tokens.h"
#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/settings_loader.h"
#include "cli/table_output.h"
#include "event/json_writer.h"
#include "event/timestamp.h"
#include "store/registry.h"

namespace weir::cli {
namespace {

using store::TokenRow;

constexpr std::string_view kHint =
    "weir: a broker that runs on this directory takes notice within a second\n";

std::string time_text(base::Instant instant) {
  return event::to_string({.seconds = instant.nanoseconds / 1'000'000'000, .nanoseconds = 0});
}

std::vector<std::string> grants_of(const TokenRow& row) {
  const auto grants = broker::Grants::parse_json(row.grants);
  return grants ? broker::grant_texts(*grants) : std::vector<std::string>{"?"};
}

Attempt<std::unique_ptr<store::Registry>> open_registry(const TokenOptions& options) {
  const auto loaded = load_settings({.config_path = options.config_path,
                                     .environment = process_environment(),
                                     .flags = options.flags});
  if (!loaded) return tl::unexpected(loaded.error());
  const std::filesystem::path directory = loaded->settings.broker.directory;
  std::error_code failed;
  if (options.verb == TokenVerb::kCreate) {
    if (std::filesystem::create_directories(directory, failed)) {
      std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
    }
  } else if (!std::filesystem::exists(directory / "registry.sqlite", failed)) {
    return tl::unexpected(Failure{
        .error = {base::ErrorId::kCliFile,
                  fmt::format("there is no broker's data in '{}': use --data", directory.native()),
                  std::nullopt}});
  }
  auto registry = store::Registry::open(directory / "registry.sqlite");
  if (!registry) return tl::unexpected(Failure{.error = std::move(registry.error())});
  return *std::move(registry);
}

// When the former secrets that are still valid end.
std::vector<std::string> former_times(const TokenRow& row) {
  std::vector<std::string> times;
  for (const store::FormerSecret& former : row.former) {
    if (former.until > broker::system_now()) times.push_back(time_text(former.until));
  }
  std::ranges::sort(times);
  return times;
}

void append_token(const TokenRow& row, std::string& out) {
  event::JsonObject object(out);
  object.member("name", row.name);
  object.member("grants", grants_of(row));
  object.member("created", time_text(row.created));
  if (row.expires) object.member("expires", time_text(*row.expires));
  object.member("revoked", row.revoked);
  object.member("former_until", former_times(row));
  object.close();
}

void show_once(const broker::NewToken& token, bool json, Streams& streams) {
  if (json) {
    std::string out;
    event::JsonObject object(out);
    object.member("token", token.text);
    object.name("row");
    append_token(token.row, out);
    object.close();
    streams.out.append(out + '\n');
    return;
  }
  streams.out.append(token.text + '\n');
  streams.err.append("weir: this token is shown once; whoever has it may do what it grants\n");
}

base::Result<void> create(store::Registry& registry, const TokenOptions& options,
                          Streams& streams) {
  const base::Instant now = broker::system_now();
  std::optional<base::Instant> expires;
  if (options.expires) expires = now + *options.expires;
  const auto created =
      broker::Tokens().create(registry, options.name, options.grants, expires, now);
  if (!created) return created.error();
  show_once(*created, options.json, streams);
  if (!options.json) streams.err.append(kHint);
  return {};
}

base::Result<void> rotate(store::Registry& registry, const TokenOptions& options,
                          Streams& streams) {
  const auto rotated =
      broker::Tokens().rotate(registry, options.name, options.overlap, broker::system_now());
  if (!rotated) return rotated.error();
  show_once(*rotated, options.json, streams);
  if (options.json) return {};
  const std::vector<std::string> former = former_times(rotated->row);
  streams.err.append(former.empty()
                         ? "weir: no former secret is valid any more\n"
                         : fmt::format("weir: former secrets are valid until {}\n", former.back()));
  streams.err.append(kHint);
  return {};
}

base::Result<void> list(store::Registry& registry, const TokenOptions& options, Streams& streams) {
  const auto rows = registry.tokens();
  if (!rows) return rows.error();
  if (options.json) {
    for (const TokenRow& row : *rows) {
      std::string out;
      append_token(row, out);
      streams.out.append(out + '\n');
    }
    return {};
  }
  Table table({"NAME", "STATE", "EXPIRES", "GRANTS"});
  const base::Instant now = broker::system_now();
  for (const TokenRow& row : *rows) {
    const bool expired = row.expires && *row.expires <= now;
    table.add({row.name, row.revoked ? "revoked" : (expired ? "expired" : "good"),
               row.expires ? time_text(*row.expires) : "never",
               fmt::format("{}", fmt::join(grants_of(row), " "))});
  }
  streams.out.append(table.to_text());
  return {};
}

base::Result<void> revoke(store::Registry& registry, const TokenOptions& options,
                          Streams& streams) {
  if (auto revoked = broker::Tokens().revoke(registry, options.name); !revoked) return revoked;
  if (!options.json) streams.err.append(kHint);
  return {};
}

base::Result<void> perform(store::Registry& registry, const TokenOptions& options,
                           Streams& streams) {
  switch (options.verb) {
    case TokenVerb::kCreate:
      return create(registry, options, streams);
    case TokenVerb::kList:
      return list(registry, options, streams);
    case TokenVerb::kRotate:
      return rotate(registry, options, streams);
    case TokenVerb::kRevoke:
      break;
  }
  return revoke(registry, options, streams);
}

}  // namespace

int run_token(const TokenOptions& options, Streams& streams) {
  auto registry = open_registry(options);
  if (!registry) return report(registry.error(), options.json, streams.err);
  if (auto done = perform(**registry, options, streams); !done) {
    return report({.error = std::move(done.error())}, options.json, streams.err);
  }
  return finish(kExitOk, options.json, streams);
}

}  // namespace weir::cli
