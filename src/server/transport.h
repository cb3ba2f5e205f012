// SPDX-License-Identifier: Apache-2.0
// Transport: a connection's bytes, over TCP or TLS, so that HTTP is compiled once for both.
//
// One read and one write may be under way at a time. Used from one io thread.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "server/deadline.h"
#include "server/net.h"

namespace weir::server {

enum class Beginning : std::uint8_t {
  kReady,
  kPlain,  // the peer speaks HTTP without TLS; what is written goes to it as it is
  kFailed,
};

class Transport {
 public:
  virtual ~Transport() = default;

  // The TLS handshake.
  virtual Task<Beginning> begin() = 0;
  virtual Task<std::size_t> read_some(std::span<char> into, NetError& error) = 0;
  virtual Task<std::size_t> write_some(std::string_view bytes, NetError& error) = 0;
  // Tells the peer that nothing follows.
  virtual Task<void> finish() = 0;
  virtual Tcp::socket& socket() = 0;

  // Ends what is under way with operation_aborted.
  void cancel();
  void close();
};

using TlsContextPtr = std::shared_ptr<asio::ssl::context>;

// Over TLS if there is a context.
std::unique_ptr<Transport> make_transport(Tcp::socket socket, TlsContextPtr context);

// Writes all of it; the peer must take some bytes within each `timeout`. False if it does not.
Task<bool> write_all(Transport& transport, Deadline& deadline, Milliseconds timeout,
                     std::string_view bytes);

}  // namespace weir::server
