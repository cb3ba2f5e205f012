// SPDX-License-Identifier: Apache-2.0
// WebsocketStream: the WebSocket protocol over a transport; Beast's, kept in a file of its own.
//
// Pongs, fragments and UTF-8 are its matter. It pings a silent peer and gives up one that stays
// silent. One read and one write or close may be under way at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/net.h"
#include "server/request.h"
#include "server/transport.h"

namespace weir::server {

struct WebsocketOptions {
  std::string_view subprotocol;
  std::size_t message_bytes_max = 0;
  Milliseconds ping_interval{0};
  Milliseconds handshake_timeout{0};      // also of closing
  std::function<void()> on_closing = {};  // the peer wants to close
};

enum class WebsocketEnd : std::uint8_t { kNone, kClosed, kTooBig, kSilent };

struct WebsocketMessage {
  WebsocketEnd end = WebsocketEnd::kNone;  // or there is a message:
  bool is_text = true;
  std::string bytes = {};
};

class WebsocketStream {
 public:
  virtual ~WebsocketStream() = default;

  // Answers the handshake.
  virtual Task<bool> accept(const Request& request) = 0;
  virtual Task<WebsocketMessage> read() = 0;
  virtual Task<bool> write(std::string_view text) = 0;
  virtual Task<void> close(std::uint16_t code, std::string_view reason) = 0;
};

// The transport must outlive it.
std::unique_ptr<WebsocketStream> make_websocket(Transport& transport,
                                                const WebsocketOptions& options);

}  // namespace weir::server
