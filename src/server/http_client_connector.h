// SPDX-License-Identifier: Apache-2.0
// HttpConnector: opens connections to URLs: resolves the name, asks the guard about each address,
// and connects to exactly the address that was asked about. Used from one io thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/address_guard.h"
#include "server/http_client_connection.h"
#include "server/http_client_message.h"
#include "server/http_client_transport.h"
#include "server/net.h"
#include "server/resolver.h"
#include "server/url.h"

namespace weir::server {

struct HttpConnectorOptions {
  std::optional<AddressGuard> guard = {};  // nothing: any address
  TlsContextPtr tls;
  HttpClientTimeouts timeouts = {};
  HttpClientLimits limits = {};
  std::size_t address_count_max = 8;  // of one name that are tried
  std::string refused_hint = {};      // goes on after "connection refused"
  Resolver::LookUp look_up = Resolver::system_look_up;
};

class HttpConnector {
 public:
  HttpConnector(asio::any_io_executor executor, HttpConnectorOptions options);

  // kHttpConnect, or kBrokerSink if the guard refuses. The URL must outlive the operation. What is
  // held is kept until the lookup of the name has ended, which may be later. Gives up at `until`,
  // or when the timeout is over.
  Task<base::Result<std::unique_ptr<ClientConnection>>> open(
      const Url& url, Resolver::Hold hold = {}, Clock::time_point until = Clock::time_point::max());

 private:
  Task<base::Result<std::vector<IpAddress>>> resolve(const Url& url, Clock::time_point until,
                                                     Resolver::Hold hold);
  Task<std::string> try_address(const Url& url, const IpAddress& address, Clock::time_point until,
                                std::unique_ptr<ClientConnection>& connection);
  base::Error unreachable(const Url& url, std::string_view why) const;

  asio::any_io_executor executor_;
  HttpConnectorOptions options_;
  Resolver resolver_;
};

}  // namespace weir::server
