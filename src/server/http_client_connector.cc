// SPDX-License-Identifier: Apache-2.0
#include "server/http_client_connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
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

IpAddress from_asio(const asio::ip::address& address) {
  IpAddress result;
  result.is_v4 = address.is_v4();
  if (result.is_v4) {
    std::ranges::copy(address.to_v4().to_bytes(), result.bytes.begin());
  } else {
    std::ranges::copy(address.to_v6().to_bytes(), result.bytes.begin());
  }
  return result;
}

Tcp::endpoint to_asio(const IpAddress& address, std::uint16_t port) {
  if (!address.is_v4) return {asio::ip::address_v6(address.bytes), port};
  asio::ip::address_v4::bytes_type bytes;
  std::copy_n(address.bytes.begin(), bytes.size(), bytes.begin());
  return {asio::ip::address_v4(bytes), port};
}

// A question to the resolver, which whoever asks may give up.
struct Question {
  explicit Question(const asio::any_io_executor& executor) : done(executor) {}

  asio::steady_timer done;
  bool is_answered = false;
  NetError code;
  std::vector<IpAddress> addresses;
};

struct Found {
  NetError code;
  std::vector<IpAddress> addresses;
};

Found look_up(const asio::any_io_executor& executor, const std::string& host) {
  Found found;
  Tcp::resolver resolver(executor);
  for (const auto& entry : resolver.resolve(host, "", found.code)) {
    const IpAddress address = from_asio(entry.endpoint().address());
    if (std::ranges::find(found.addresses, address) == found.addresses.end()) {
      found.addresses.push_back(address);
    }
  }
  return found;
}

}  // namespace

HttpConnector::HttpConnector(asio::any_io_executor executor, HttpConnectorOptions options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      resolvers_(options_.resolver_thread_count) {}

base::Error HttpConnector::unreachable(const Url& url, std::string_view why) const {
  const bool is_refused = why == failure_text(asio::error::connection_refused);
  return base::Error{base::ErrorId::kHttpConnect,
                     fmt::format("cannot reach {}: {}{}", url.endpoint(), why,
                                 is_refused ? options_.refused_hint : ""),
                     std::nullopt};
}

Task<base::Result<std::vector<IpAddress>>> HttpConnector::resolve(const Url& url,
                                                                  Clock::time_point until) {
  using Addresses = base::Result<std::vector<IpAddress>>;
  if (const auto literal = parse_ip(url.host)) {
    co_return Addresses(std::vector<IpAddress>(1, *literal));
  }
  const auto question = std::make_shared<Question>(executor_);
  asio::post(resolvers_, [question, executor = executor_, host = url.host] {
    Found found = look_up(executor, host);
    asio::post(executor, [question, found = std::move(found)]() mutable {
      question->is_answered = true;
      question->code = found.code;
      question->addresses = std::move(found.addresses);
      question->done.cancel();
    });
  });
  question->done.expires_at(until);
  NetError ignored;
  co_await question->done.async_wait(to(ignored));
  if (!question->is_answered) {
    co_return Addresses(unreachable(url, "its name could not be resolved in time"));
  }
  if (question->code || question->addresses.empty()) {
    co_return Addresses(unreachable(url, "its name cannot be resolved"));
  }
  co_return Addresses(std::move(question->addresses));
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

Task<base::Result<std::unique_ptr<ClientConnection>>> HttpConnector::open(const Url& url) {
  using Opened = base::Result<std::unique_ptr<ClientConnection>>;
  const auto begin = Clock::now();
  const Clock::time_point until =
      begin + std::chrono::nanoseconds(options_.timeouts.connect.nanoseconds);
  base::Result<std::vector<IpAddress>> addresses = co_await resolve(url, until);
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
