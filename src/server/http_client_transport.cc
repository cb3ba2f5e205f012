// SPDX-License-Identifier: Apache-2.0
#include "server/http_client_transport.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "server/address_guard.h"
#include "server/transports.h"

namespace weir::server {

base::Result<TlsContextPtr> make_tls_client(const TlsClientOptions& options) {
  auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  NetError error;
  tls->set_verify_mode(options.insecure ? asio::ssl::verify_none : asio::ssl::verify_peer, error);
  if (!error && options.ca_file.empty()) {
    tls->set_default_verify_paths(error);
  } else if (!error) {
    tls->load_verify_file(options.ca_file, error);
  }
  if (!error) return tls;
  return base::Error{
      base::ErrorId::kHttpTls,
      "cannot use the authorities in '" + options.ca_file + "': " + failure_text(error),
      std::nullopt};
}

ClientTransport::ClientTransport(const asio::any_io_executor& executor, const Url& url,
                                 const TlsContextPtr& tls)
    : host_(url.host), deadline_(executor, [this] { expire(); }) {
  if (url.tls) {
    auto transport = std::make_unique<SecureTransport>(Tcp::socket(executor), tls);
    tls_ = transport.get();
    transport_ = std::move(transport);
  } else {
    transport_ = std::make_unique<PlainTransport>(Tcp::socket(executor));
  }
}

ClientTransport::~ClientTransport() = default;

void ClientTransport::set_deadline(Clock::time_point until) {
  is_read_deadline_ = false;
  deadline_.set_at(until);
}

void ClientTransport::set_read_deadline(Clock::time_point until) {
  is_read_deadline_ = true;
  deadline_.set_at(until);
}

// TLS reads and writes in steps, and to cancel between two steps has no effect: only a socket that
// is closed is sure to end it. A read that is missed so ends with the next bytes.
void ClientTransport::expire() {
  if (is_read_deadline_) {
    transport_->cancel();
  } else {
    transport_->close();
  }
}

Task<std::string> ClientTransport::establish(Tcp::endpoint peer) {
  NetError error = co_await connect(peer);
  if (error) co_return failure_text(error);
  if (tls_ == nullptr) co_return std::string();
  if (!name_peer()) co_return std::string("the host's name cannot be used with TLS");
  co_await tls_->stream().async_handshake(TlsStream::client, to(error));
  if (error) co_return handshake_failure(judged(error));
  co_return std::string();
}

Task<NetError> ClientTransport::connect(Tcp::endpoint peer) {
  NetError error;
  Tcp::socket& socket = transport_->socket();
  co_await socket.async_connect(peer, to(error));
  NetError ignored;
  if (!error) socket.set_option(Tcp::no_delay(true), ignored);
  co_return judged(error);
}

// An address has no name to indicate (RFC 6066), but its certificate is checked all the same.
bool ClientTransport::name_peer() {
  tls_->stream().set_verify_callback(asio::ssl::host_name_verification(host_));
  if (parse_ip(host_)) return true;
  // SSL_set_tlsext_host_name() is a macro with casts of the old style.
  return SSL_ctrl(tls_->stream().native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                  TLSEXT_NAMETYPE_host_name, host_.data()) == 1;
}

std::string ClientTransport::handshake_failure(const NetError& error) {
  const long verdict = SSL_get_verify_result(tls_->stream().native_handle());
  const bool is_tls = error.category() == asio::error::get_ssl_category();
  if (!is_tls || verdict == X509_V_OK) return "TLS: " + failure_text(error);
  return std::string("TLS: the certificate is not accepted: ") +
         X509_verify_cert_error_string(verdict);
}

Task<std::size_t> ClientTransport::read_some(std::span<char> into, NetError& error) {
  error = asio::error::timed_out;
  if (deadline_.expired()) co_return std::size_t{0};
  const std::size_t count = co_await transport_->read_some(into, error);
  error = judged(error);
  co_return count;
}

Task<NetError> ClientTransport::write(std::string_view bytes) {
  NetError error;
  while (!bytes.empty() && !error) {
    if (deadline_.expired()) co_return NetError(asio::error::timed_out);
    const std::size_t count = co_await transport_->write_some(bytes, error);
    bytes.remove_prefix(count);
  }
  co_return judged(error);
}

bool ClientTransport::is_quiet() {
  char byte = 0;
  const auto count =
      ::recv(transport_->socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

NetError ClientTransport::judged(const NetError& error) const {
  return error && deadline_.expired() ? NetError(asio::error::timed_out) : error;
}

std::string failure_text(const NetError& error) {
  if (error == asio::error::timed_out) return "no answer in time";
  if (error == asio::error::eof) return "the connection was closed";
  if (error == asio::ssl::error::stream_truncated) return "the TLS connection was cut off";
  std::string text = error.message();
  const bool is_word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (is_word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 'a' - 'A');
  return text;
}

}  // namespace weir::server
