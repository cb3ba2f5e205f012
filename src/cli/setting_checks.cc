// SPDX-License-Identifier: Apache-2.0
#include "cli/setting_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "base/near_name.h"
#include "broker/grant_text.h"
#include "match/text_analyzer.h"
#include "match/text_language.h"
#include "server/address_guard.h"
#include "server/trusted_hosts.h"

namespace weir::cli {
namespace {

constexpr std::string_view kListenShape = "ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080";

base::Error unfit(std::string message) {
  return {base::ErrorId::kConfigKey, std::move(message), std::nullopt};
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

base::Result<ListenText> parse_listen(const std::string& text) {
  ListenText listen;
  std::string_view rest = text;
  listen.endpoint.tls = take_prefix(rest, "https://");
  listen.has_scheme = listen.endpoint.tls || take_prefix(rest, "http://");
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return unfit(std::string(kListenShape));
  std::string_view address = rest.substr(0, colon);
  const std::string_view port = rest.substr(colon + 1);
  const auto [end, failed] =
      std::from_chars(port.data(), port.data() + port.size(), listen.endpoint.port);
  if (failed != std::errc() || end != port.data() + port.size()) {
    return unfit(std::string(kListenShape));
  }
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
    if (address.find(':') == std::string_view::npos) return unfit(std::string(kListenShape));
  } else if (address.find_first_of(":[]/ ") != std::string_view::npos) {
    return unfit(std::string(kListenShape));
  }
  listen.endpoint.address = address;
  return listen;
}

base::Result<void> check_listen(const std::string& text) {
  const auto listen = parse_listen(text);
  if (!listen) return listen.error();
  return {};
}

base::Result<void> check_grant(const std::string& text) {
  broker::Grants grants;
  const auto added = broker::add_grant(text, grants);
  if (!added) {
    return unfit(fmt::format("publish, subscribe, block or admin ({})", added.error().to_string()));
  }
  return {};
}

base::Result<void> check_network(const std::string& text) {
  if (server::parse_cidr(text)) return {};
  return unfit("a network such as 10.0.0.0/8 or fd00::/8");
}

base::Result<void> check_host(const std::string& text) {
  if (server::is_host(text)) return {};
  return unfit("a host such as hooks.example.com or 10.1.2.3:8080");
}

base::Result<void> check_text_language(const std::string& text) {
  if (match::text_language(text)) return {};
  const std::vector<std::string> names = match::TextAnalyzer::languages();
  const std::vector<std::string_view> views(names.begin(), names.end());
  return unfit(fmt::format("one of: {}{}", fmt::join(names, " "), base::did_you_mean(text, views)));
}

base::Result<void> check_not_empty(const std::string& text) {
  if (!text.empty()) return {};
  return unfit("a text that is not empty");
}

base::Result<void> check_header_name(const std::string& text) {
  const bool is_name = std::ranges::all_of(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  if (is_name) return {};
  return unfit("the name of a header, such as X-Forwarded-For");
}

bool is_loopback(const std::string& address) {
  if (address == "localhost") return true;
  const auto ip = server::parse_ip(address);
  if (!ip) return false;
  if (ip->is_v4) return ip->bytes[0] == 127;
  return ip->to_string() == "::1";
}

}  // namespace weir::cli
