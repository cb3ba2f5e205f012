// SPDX-License-Identifier: Apache-2.0
// Stream: the broker's side of a stream to one peer, whatever it is sent as.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/definition_warning.h"
#include "broker/delivery.h"
#include "server/credit_window.h"
#include "server/exchange.h"
#include "server/signal.h"
#include "server/stream_inbox.h"

namespace weir::server {

struct Stream {
  Stream(const asio::any_io_executor& executor, const ServerOptions& options)
      : signal(std::make_shared<Signal>(executor)),
        inbox(std::make_shared<StreamInbox>(executor, signal)),
        window(options.stream_dispatch_count_max, options.stream_bytes_max) {}
  ~Stream() { close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Gives the broker what the window allows.
  void pass_credit() {
    const std::uint64_t count = window.take();
    if (count > 0 && session) session->add_credit(count);
  }
  void close() {
    inbox->detach();
    if (session) session->close();
    session = nullptr;
  }
  // Makes room for another session.
  void reset(const asio::any_io_executor& executor) {
    close();
    inbox = std::make_shared<StreamInbox>(executor, signal);
  }

  std::shared_ptr<Signal> signal;  // something came, the peer went, or the server stops
  std::shared_ptr<StreamInbox> inbox;
  CreditWindow window;
  broker::SessionPtr session;
  StreamInbox::Contents first = {};                      // came with the beginning
  std::string subscription = {};                         // its id; empty: ephemeral
  std::vector<broker::DefinitionWarning> warnings = {};  // told before the first delivery
  std::optional<base::Error> notice = {};                // SSE: told before all deliveries
  broker::SessionStart start = {};                       // as the broker told it
  bool envelope = false;                                 // SSE: the messages of WebSocket as data
  bool peer_gone = false;
};

// Sends the stream until one side ends it; returns what is to be counted.
Task<Response> serve_sse(Exchange& exchange, Stream& stream);
Task<Response> serve_websocket(Exchange& exchange, Stream& stream);

// Before a session is made for it: whether the request is a handshake that can be answered.
base::Result<void> check_websocket(const Exchange& exchange);

}  // namespace weir::server
