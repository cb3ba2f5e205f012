// SPDX-License-Identifier: Apache-2.0
// The two kinds of Transport, for those who need the streams below them.
#pragma once

#include <boost/asio/ssl/stream.hpp>
#include <utility>

#include "server/transport.h"

namespace weir::server {

using TlsStream = asio::ssl::stream<Tcp::socket>;

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(Tcp::socket socket) : socket_(std::move(socket)) {}

  Task<Beginning> begin() override;
  Task<std::size_t> read_some(std::span<char> into, NetError& error) override;
  Task<std::size_t> write_some(std::string_view bytes, NetError& error) override;
  Task<void> finish() override;
  Tcp::socket& socket() override { return socket_; }
  Tcp::socket& stream() { return socket_; }

 private:
  Tcp::socket socket_;
};

class SecureTransport final : public Transport {
 public:
  SecureTransport(Tcp::socket socket, TlsContextPtr context)
      : context_(std::move(context)), stream_(std::move(socket), *context_) {}

  Task<Beginning> begin() override;
  Task<std::size_t> read_some(std::span<char> into, NetError& error) override;
  Task<std::size_t> write_some(std::string_view bytes, NetError& error) override;
  Task<void> finish() override;
  Tcp::socket& socket() override { return stream_.next_layer(); }
  TlsStream& stream() { return stream_; }

 private:
  TlsContextPtr context_;  // a reload replaces it for later connections only
  TlsStream stream_;
  bool is_plain_ = false;  // the peer does not speak TLS
};

}  // namespace weir::server
