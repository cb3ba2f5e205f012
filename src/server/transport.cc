// SPDX-License-Identifier: Apache-2.0
#include "server/transport.h"

#include <boost/asio/buffer.hpp>

#include "server/transports.h"

namespace weir::server {

Task<Beginning> PlainTransport::begin() { co_return Beginning::kReady; }

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

// A method begins with a letter, a TLS handshake with the byte 22. Looks at that byte and leaves
// it.
Task<Beginning> SecureTransport::begin() {
  NetError error;
  char first = 0;
  const auto buffer = asio::buffer(&first, 1);
  co_await socket().async_receive(buffer, Tcp::socket::message_peek, to(error));
  if (error) co_return Beginning::kFailed;
  is_plain_ = (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
  if (is_plain_) co_return Beginning::kPlain;
  co_await stream_.async_handshake(asio::ssl::stream_base::server, to(error));
  co_return error ? Beginning::kFailed : Beginning::kReady;
}

Task<std::size_t> SecureTransport::read_some(std::span<char> into, NetError& error) {
  const auto buffer = asio::buffer(into.data(), into.size());
  if (is_plain_) co_return co_await socket().async_read_some(buffer, to(error));
  co_return co_await stream_.async_read_some(buffer, to(error));
}

Task<std::size_t> SecureTransport::write_some(std::string_view bytes, NetError& error) {
  const auto buffer = asio::buffer(bytes);
  if (is_plain_) co_return co_await socket().async_write_some(buffer, to(error));
  co_return co_await stream_.async_write_some(buffer, to(error));
}

Task<void> SecureTransport::finish() {
  NetError ignored;
  if (!is_plain_) co_await stream_.async_shutdown(to(ignored));
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
