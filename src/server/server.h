// SPDX-License-Identifier: Apache-2.0
// Server: HTTP/1.1, server-sent events and WebSocket over a broker. Translates, decides nothing.
//
//   acceptors --> io threads (one coroutine per connection) <--> broker's threads
//
// docs/protocol.md tells what it speaks. The broker must outlive it, and go on answering until
// stop() has returned: so the server stops first, then the broker.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "broker/broker.h"
#include "server/server_options.h"

namespace weir::server {

class Server {
 public:
  // Listens when it returns.
  static base::Result<std::unique_ptr<Server>> start(broker::Broker& broker, ServerOptions options);
  // Stops without grace.
  virtual ~Server() = default;

  // Of each endpoint, in their order.
  virtual std::vector<std::uint16_t> ports() const = 0;

  // Accepts nothing more, ends streams, lets requests under way end; after the grace, ends them.
  // Waits for all of it.
  virtual void stop(std::chrono::milliseconds grace) = 0;

  // Reads certificate and key again, for later connections. If that fails, all stays as it was.
  virtual base::Result<void> reload_certificates() = 0;
};

}  // namespace weir::server
