// SPDX-License-Identifier: Apache-2.0
#include "server/http_client_connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"

namespace weir::server {

namespace {

Tcp::endpoint to_asio(const IpAddress& address, std::uint16_t port) {
  if (!address.is_v4) return {asio::ip::address_v6(address.bytes), port};
  asio::ip::address_v4::bytes_type bytes;
  std::copy_n(address.bytes.begin(), bytes.size(), bytes.begin());
  return {asio::ip::address_v4(bytes), port};
}

}  // namespace

HttpConnector::HttpConnector(asio::any_io_executor executor, HttpConnectorOptions options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      resolver_(executor_, options_.look_up) {}

base::Error HttpConnector::unreachable(const Url& url, std::string_view why) const {
  const bool is_refused = why == failure_text(asio::error::connection_refused);
  return base::Error{base::ErrorId::kHttpConnect,
                     fmt::format("cannot reach {}: {}{}", url.endpoint(), why,
                                 is_refused ? options_.refused_hint : ""),
                     std::nullopt};
}

Task<base::Result<std::vector<IpAddress>>> HttpConnector::resolve(const Url& url,
                                                                  Clock::time_point until,
                                                                  Resolver::Hold hold) {
  using Addresses = base::Result<std::vector<IpAddress>>;
  if (const auto literal = parse_ip(url.host)) {
    co_return Addresses(std::vector<IpAddress>(1, *literal));
  }
  std::optional<std::vector<IpAddress>> found =
      co_await resolver_.resolve(url.host, until, std::move(hold));
  if (!found) co_return Addresses(unreachable(url, "its name could not be resolved in time"));
  if (found->empty()) co_return Addresses(unreachable(url, "its name cannot be resolved"));
  co_return Addresses(*std::move(found));
}

Task<std::string> HttpConnector::try_address(const Url& url, const IpAddress& address,
                                             Clock::time_point until,
                                             std::unique_ptr<ClientConnection>& connection) {
  auto transport = std::make_unique<ClientTransport>(executor_, url, options_.tls);
  transport->set_deadline(until);
  const Tcp::endpoint peer = to_asio(address, url.port);
  std::string failure = co_await transport->establish(peer);
  if (!failure.empty()) co_return failure;
  transport->clear_deadline();
  ClientConnectionOptions options;
  options.authority = url.authority();
  options.timeouts = options_.timeouts;
  options.limits = options_.limits;
  connection = std::make_unique<ClientConnection>(std::move(transport), std::move(options));
  co_return failure;
}

Task<base::Result<std::unique_ptr<ClientConnection>>> HttpConnector::open(const Url& url,
                                                                          Resolver::Hold hold,
                                                                          Clock::time_point until) {
  using Opened = base::Result<std::unique_ptr<ClientConnection>>;
  const auto begin = Clock::now();
  until = std::min(until, begin + std::chrono::nanoseconds(options_.timeouts.connect.nanoseconds));
  base::Result<std::vector<IpAddress>> addresses = co_await resolve(url, until, std::move(hold));
  if (!addresses) co_return Opened(addresses.error());
  std::optional<base::Error> error;
  std::size_t left = std::min(addresses->size(), options_.address_count_max);
  for (const IpAddress& address : *addresses) {
    if (left == 0) break;
    const auto now = Clock::now();
    const Clock::time_point address_until = now + (until - now) / static_cast<long>(left--);
    if (options_.guard) {
      const auto allowed = options_.guard->check(address);
      if (!allowed && !error) error = allowed.error();
      if (!allowed) continue;
    }
    std::unique_ptr<ClientConnection> connection;
    const std::string failure = co_await try_address(url, address, address_until, connection);
    if (connection) co_return Opened(std::move(connection));
    error = unreachable(url, failure);
  }
  co_return Opened(std::move(*error));
}

}  // namespace weir::server
