// SPDX-License-Identifier: Apache-2.0
#include "server/transport.h"

#include <boost/asio/buffer.hpp>

#include "server/transports.h"

namespace weir::server {

Task<NetError> PlainTransport::begin() { co_return NetError(); }

Task<std::size_t> PlainTransport::read_some(std::span<char> into, NetError& error) {
  const auto buffer = asio::buffer(into.data(), into.size());
  co_return co_await socket_.async_read_some(buffer, to(error));
}

Task<std::size_t> PlainTransport::write_some(std::string_view bytes, NetError& error) {
  const auto buffer = asio::buffer(bytes);
  co_return co_await socket_.async_write_some(buffer, to(error));
}

Task<void> PlainTransport::finish() {
  NetError ignored;
  socket_.shutdown(Tcp::socket::shutdown_send, ignored);
  co_return;
}

Task<NetError> SecureTransport::begin() {
  NetError error;
  co_await stream_.async_handshake(asio::ssl::stream_base::server, to(error));
  co_return error;
}

Task<std::size_t> SecureTransport::read_some(std::span<char> into, NetError& error) {
  const auto buffer = asio::buffer(into.data(), into.size());
  co_return co_await stream_.async_read_some(buffer, to(error));
}

Task<std::size_t> SecureTransport::write_some(std::string_view bytes, NetError& error) {
  const auto buffer = asio::buffer(bytes);
  co_return co_await stream_.async_write_some(buffer, to(error));
}

Task<void> SecureTransport::finish() {
  NetError ignored;
  co_await stream_.async_shutdown(to(ignored));
  socket().shutdown(Tcp::socket::shutdown_send, ignored);
}

void Transport::cancel() {
  NetError ignored;
  socket().cancel(ignored);
}

void Transport::close() {
  NetError ignored;
  socket().close(ignored);
}

std::unique_ptr<Transport> make_transport(Tcp::socket socket, TlsContextPtr context) {
  if (!context) return std::make_unique<PlainTransport>(std::move(socket));
  return std::make_unique<SecureTransport>(std::move(socket), std::move(context));
}

Task<bool> write_all(Transport& transport, Deadline& deadline, Milliseconds timeout,
                     std::string_view bytes) {
  NetError error;
  while (!bytes.empty() && !error) {
    deadline.set(timeout);
    bytes.remove_prefix(co_await transport.write_some(bytes, error));
  }
  const bool all = bytes.empty() && !error;
  if (!deadline.expired()) deadline.clear();
  co_return all;
}

}  // namespace weir::server
