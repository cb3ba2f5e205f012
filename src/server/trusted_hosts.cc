// SPDX-License-Identifier: Apache-2.0
#include "server/trusted_hosts.h"

#include <algorithm>

#include "server/access.h"

namespace weir::server {
namespace {

bool names(std::string_view host, const Url& sink) {
  const auto url = parse_url("http://" + std::string(host));
  if (!url || url->host != sink.host) return false;
  const bool has_port = host_name(host).size() < host.size();
  return !has_port || url->port == sink.port;
}

}  // namespace

bool is_host(std::string_view text) {
  const auto url = parse_url("http://" + std::string(text));
  return url && text.find_first_of("/?") == std::string_view::npos;
}

bool is_trusted(const Url& sink, std::span<const std::string> hosts) {
  return std::ranges::any_of(hosts, [&](std::string_view host) { return names(host, sink); });
}

}  // namespace weir::server
