// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "broker/grant_text.h"
#include "cli/setting_checks.h"
#include "server/address_guard.h"

namespace weir::cli {
namespace {

constexpr std::array<std::string_view, 8> kTypeNames = {"duration", "bytes", "count", "share",
                                                        "number",   "word",  "text",  "list"};

base::Error conflict(std::string message) {
  return {base::ErrorId::kConfigKey, std::move(message), std::nullopt};
}

char upper(char c) {
  if (c == '.') return '_';
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

server::Anonymous anonymous_of(std::string_view word) {
  if (word == "off") return server::Anonymous::kOff;
  return word == "everyone" ? server::Anonymous::kEveryone : server::Anonymous::kLoopback;
}

base::Result<void> resolve_endpoints(Settings& settings) {
  const bool has_tls = !settings.tls_cert.empty();
  if (has_tls != !settings.tls_key.empty()) {
    return conflict("server.tls_cert and server.tls_key must both be given, or neither");
  }
  if (settings.listen.empty()) return conflict("server.listen is empty, expected an address");
  settings.server.endpoints.clear();
  for (const std::string& text : settings.listen) {
    auto listen = parse_listen(text);
    WEIR_CHECK(listen.has_value());
    if (!listen->has_scheme) listen->endpoint.tls = has_tls;
    if (listen->endpoint.tls && !has_tls) {
      return conflict("server.listen has https, which needs server.tls_cert and server.tls_key");
    }
    settings.server.endpoints.push_back(std::move(listen->endpoint));
  }
  settings.server.tls_certificate_file = settings.tls_cert;
  settings.server.tls_key_file = settings.tls_key;
  return {};
}

}  // namespace

std::string_view to_string(SettingType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

bool Setting::may_be_off() const {
  return std::holds_alternative<Place<std::optional<base::Duration>>>(place) ||
         std::holds_alternative<Place<std::optional<std::uint32_t>>>(place);
}

std::string Setting::environment_name() const {
  std::string result = "WEIR_";
  for (const char c : name) result += upper(c);
  return result;
}

const Setting* find_setting(std::string_view name) {
  const auto found = std::ranges::find(setting_table(), name, &Setting::name);
  return found == setting_table().end() ? nullptr : &*found;
}

// Words and elements of lists were checked when they were set.
base::Result<void> resolve(Settings& settings) {
  if (auto resolved = resolve_endpoints(settings); !resolved) return resolved;
  if (settings.server.bodies_bytes_max < settings.server.body_bytes_max) {
    return conflict("server.bodies_bytes must not be less than server.body_bytes");
  }
  settings.broker.directory = settings.data_directory;
  settings.server.anonymous = anonymous_of(settings.anonymous);
  broker::Grants grants;
  for (const std::string& text : settings.anonymous_grants) {
    const auto added = broker::add_grant(text, grants);
    WEIR_CHECK(added.has_value());
  }
  const bool is_off = settings.server.anonymous == server::Anonymous::kOff;
  settings.broker.anonymous_grants = is_off ? std::nullopt : std::optional(grants);
  settings.webhooks.allowed_networks.clear();
  for (const std::string& text : settings.allowed_networks) {
    settings.webhooks.allowed_networks.push_back(server::parse_cidr(text).value());
  }
  settings.server.sink_guard = server::AddressGuard(settings.webhooks.allowed_networks);
  settings.log.level = server::log_level_of(settings.log_level).value();
  settings.log.format =
      settings.log_format == "json" ? server::LogFormat::kJson : server::LogFormat::kText;
  return {};
}

}  // namespace weir::cli
