// SPDX-License-Identifier: Apache-2.0
// Connection: one peer, from its first request to its last, as one coroutine in one io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "server/exchange.h"
#include "server/request_reader.h"

namespace weir::server {

class Connection {
 public:
  Connection(Services& services, std::unique_ptr<Transport> transport, bool from_loopback);
  ~Connection();

  Task<void> run();
  // Instead: one request, about the server itself; for any other there are too many connections.
  Task<void> run_reserved();

  // Ends it after the request under way, or now if there is none.
  void begin_stop();
  // Ends it now.
  void abort();

 private:
  Task<bool> serve();
  Task<Response> answer(Exchange& exchange);
  Task<base::Result<broker::PrincipalPtr>> principal_of(const Request& request);
  Task<base::Result<void>> admit(Exchange& exchange, Access access);
  Task<base::Result<void>> receive(Exchange& exchange, const RouteMethod& method);
  Task<bool> send(Response response);
  Task<void> send_last(const base::Error& error);
  Task<void> finish();
  Task<void> drain();
  void log_answer(unsigned status);

  Services& services_;
  std::unique_ptr<Transport> transport_;
  const bool from_loopback_;
  Deadline deadline_;
  RequestReader reader_;
  StopSignal stop_;
  bool idle_ = false;         // waits for a request
  bool is_reserved_ = false;  // in a place that is kept for questions about the server
  std::size_t route_index_ = 0;

  // The last token, which is wiped when another comes, and who it belongs to.
  std::string token_;
  broker::PrincipalPtr token_principal_;
  Clock::time_point token_until_;
  std::uint64_t token_revision_ = 0;  // of the broker's tokens
};

}  // namespace weir::server
