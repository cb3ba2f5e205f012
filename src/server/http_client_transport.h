// SPDX-License-Identifier: Apache-2.0
// ClientTransport: the client's side of one connection, plain or TLS, under a deadline.
//
// Everything waits at most until the deadline and then ends with timed_out; the connection is then
// of no use, unless it was a read under a read deadline, which has lost nothing and may be tried
// again. Used from one io thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/deadline.h"
#include "server/net.h"
#include "server/transport.h"
#include "server/url.h"

namespace weir::server {

struct TlsClientOptions {
  std::string ca_file = {};  // PEM; empty: the authorities that the system trusts
  bool insecure = false;     // takes every certificate
};

// kHttpTls if the authorities cannot be read.
base::Result<TlsContextPtr> make_tls_client(const TlsClientOptions& options);

class SecureTransport;

class ClientTransport {
 public:
  // The context is used for https only.
  ClientTransport(const asio::any_io_executor& executor, const Url& url, const TlsContextPtr& tls);
  ~ClientTransport();
  ClientTransport(const ClientTransport&) = delete;
  ClientTransport& operator=(const ClientTransport&) = delete;

  void set_deadline(Clock::time_point until);
  void set_read_deadline(Clock::time_point until);
  void clear_deadline() { deadline_.clear(); }

  // Connects and shakes hands, with the certificate checked against the URL's host. Returns what
  // went wrong, for people; empty: nothing.
  Task<std::string> establish(Tcp::endpoint peer);
  Task<std::size_t> read_some(std::span<char> into, NetError& error);
  Task<NetError> write(std::string_view bytes);
  // Nothing has come since the last read, not even the end.
  bool is_quiet();

 private:
  Task<NetError> connect(Tcp::endpoint peer);
  bool name_peer();
  std::string handshake_failure(const NetError& error);
  void expire();
  NetError judged(const NetError& error) const;

  std::string host_;
  SecureTransport* tls_ = nullptr;  // null: plain
  std::unique_ptr<Transport> transport_;
  bool is_read_deadline_ = false;
  Deadline deadline_;
};

// "connection refused": the system's words, as they go on in a sentence.
std::string failure_text(const NetError& error);

}  // namespace weir::server
