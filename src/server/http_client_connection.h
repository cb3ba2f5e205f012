// SPDX-License-Identifier: Apache-2.0
// ClientConnection: HTTP/1.1 requests, one after the other, over one connection.
//
// Answers are bounded in header, body and time. Redirects are answers like others. Errors are
// kHttpAnswer, and kHttpTimeout from read_more(); after any other error the connection is of no
// use. Not thread-safe.
#pragma once

#include <array>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/http_client_message.h"
#include "server/http_client_transport.h"
#include "server/net.h"

namespace weir::server {

struct ClientConnectionOptions {
  std::string authority;  // for the header Host
  HttpClientTimeouts timeouts = {};
  HttpClientLimits limits = {};
};

class ClientConnection {
 public:
  ClientConnection(std::unique_ptr<ClientTransport> transport, ClientConnectionOptions options)
      : transport_(std::move(transport)), options_(std::move(options)) {}

  // A request and its whole answer. The call must outlive the operation. Gives up at `until`, or
  // when a timeout is over.
  Task<base::Result<HttpAnswer>> exchange(const HttpCall& call,
                                          Clock::time_point until = Clock::time_point::max());

  // A request and the header of its answer, for a body without end.
  Task<base::Result<HttpAnswer>> begin(const HttpCall& call);
  // Appends what comes next of that body, perhaps nothing; false at its end. kHttpTimeout: nothing
  // came until then, and it may be called again.
  Task<base::Result<bool>> read_more(std::string& body, Clock::time_point until);
  // The rest of a body that has an end, within the limits.
  Task<base::Result<void>> read_rest(std::string& body);

  // Whether another request may be sent.
  bool is_reusable();

 private:
  using Parser =
      boost::beast::http::response_parser<boost::beast::http::string_body, std::allocator<char>>;

  Task<base::Result<HttpAnswer>> start(const HttpCall& call, bool is_stream);
  Task<NetError> send(const std::string& bytes);
  Task<NetError> read_header(bool is_head, bool is_stream);
  Task<NetError> advance();
  void reset_parser(bool is_head, bool is_stream);
  HttpAnswer answer_of_header();

  std::unique_ptr<ClientTransport> transport_;
  ClientConnectionOptions options_;
  Clock::time_point until_ = Clock::time_point::max();  // of the exchange that is under way
  std::optional<Parser> parser_;
  std::string pending_;  // read, not parsed
  bool needs_more_ = true;
  std::array<char, 16384> buffer_;
};

}  // namespace weir::server
