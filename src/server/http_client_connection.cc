// SPDX-License-Identifier: Apache-2.0
#include "server/http_client_connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/none.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/instant.h"
#include "base/result.h"
#include "server/http_client_message.h"

namespace weir::server {

namespace http = boost::beast::http;

namespace {

Clock::time_point after(base::Duration duration) {
  return Clock::now() + std::chrono::nanoseconds(duration.nanoseconds);
}

base::Error answer_error(const NetError& code) {
  std::string message = failure_text(code);
  if (code == http::error::body_limit) message = "the answer's body is longer than the limit";
  if (code == http::error::header_limit) message = "the answer's header is longer than the limit";
  if (code == http::error::partial_message) message = "the connection was closed within the answer";
  if (code == http::error::end_of_stream) message = "the connection was closed before the answer";
  if (code == http::error::bad_version) message = "the answer is not HTTP/1";
  return base::Error{base::ErrorId::kHttpAnswer, std::move(message), std::nullopt};
}

}  // namespace

Task<base::Result<HttpAnswer>> ClientConnection::exchange(const HttpCall& call,
                                                          Clock::time_point until) {
  until_ = until;
  base::Result<HttpAnswer> answer = co_await start(call, false);
  if (!answer) co_return answer;
  const base::Result<void> rest = co_await read_rest(answer->body);
  if (!rest) answer = rest.error();
  co_return answer;
}

Task<base::Result<HttpAnswer>> ClientConnection::begin(const HttpCall& call) {
  return start(call, true);
}

Task<base::Result<void>> ClientConnection::read_rest(std::string& body) {
  base::Result<void> result;
  while (!parser_->is_done()) {
    const NetError code = co_await advance();
    if (code) co_return base::Result<void>(answer_error(code));
    body += std::exchange(parser_->get().body(), {});
    if (body.size() > options_.limits.body_bytes_max) {
      co_return base::Result<void>(answer_error(http::error::body_limit));
    }
  }
  body += std::exchange(parser_->get().body(), {});
  transport_->clear_deadline();
  co_return result;
}

Task<base::Result<bool>> ClientConnection::read_more(std::string& body, Clock::time_point until) {
  base::Result<bool> more = !parser_->is_done();
  if (*more && parser_->get().body().empty()) {
    transport_->set_read_deadline(until);
    const NetError code = co_await advance();
    if (code == asio::error::timed_out) {
      more = base::Error{base::ErrorId::kHttpTimeout, failure_text(code), std::nullopt};
    } else if (code) {
      more = answer_error(code);
    }
    transport_->clear_deadline();
  }
  body += std::exchange(parser_->get().body(), {});
  co_return more;
}

bool ClientConnection::is_reusable() {
  return parser_ && parser_->is_done() && parser_->keep_alive() && pending_.empty() &&
         transport_->is_quiet();
}

Task<base::Result<HttpAnswer>> ClientConnection::start(const HttpCall& call, bool is_stream) {
  base::Result<HttpAnswer> answer;
  const base::Result<std::string> bytes = serialize(call, options_.authority);
  if (!bytes) co_return base::Result<HttpAnswer>(bytes.error());
  NetError code = co_await send(*bytes);
  if (!code) code = co_await read_header(call.method == "HEAD", is_stream);
  if (code) co_return base::Result<HttpAnswer>(answer_error(code));
  if (is_stream) transport_->clear_deadline();
  answer = answer_of_header();
  co_return answer;
}

Task<NetError> ClientConnection::send(const std::string& bytes) {
  transport_->set_deadline(std::min(until_, after(options_.timeouts.write)));
  const NetError error = co_await transport_->write(bytes);
  transport_->set_deadline(std::min(until_, after(options_.timeouts.read)));
  co_return error;
}

Task<NetError> ClientConnection::read_header(bool is_head, bool is_stream) {
  // An interim answer (1xx) is not the answer; the deadline bounds how many there are.
  do {
    reset_parser(is_head, is_stream);
    while (!parser_->is_header_done()) {
      const NetError code = co_await advance();
      if (code) co_return code;
    }
  } while (parser_->get().result_int() / 100 == 1);
  co_return NetError();
}

// Reads if need be, and parses what has been read.
Task<NetError> ClientConnection::advance() {
  NetError code;
  if (needs_more_ || pending_.empty()) {
    const std::size_t count = co_await transport_->read_some(buffer_, code);
    if (code == asio::error::eof) {
      if (!parser_->got_some()) co_return make_error_code(http::error::end_of_stream);
      parser_->put_eof(code);
      co_return code;
    }
    if (code) co_return code;
    pending_.append(buffer_.data(), count);
  }
  const std::size_t parsed_bytes = parser_->put(asio::buffer(pending_), code);
  pending_.erase(0, parsed_bytes);
  needs_more_ = code == http::error::need_more || parsed_bytes == 0;
  if (code == http::error::need_more) code = {};
  co_return code;
}

void ClientConnection::reset_parser(bool is_head, bool is_stream) {
  parser_.emplace();
  parser_->eager(true);
  parser_->skip(is_head);
  parser_->header_limit(static_cast<std::uint32_t>(options_.limits.header_bytes_max));
  if (is_stream) {
    parser_->body_limit(boost::none);
  } else {
    parser_->body_limit(options_.limits.body_bytes_max);
  }
  needs_more_ = pending_.empty();
}

HttpAnswer ClientConnection::answer_of_header() {
  const auto& message = parser_->get();
  HttpAnswer answer;
  answer.status = static_cast<int>(message.result_int());
  answer.reason = std::string(message.reason());
  for (const auto& field : message) {
    answer.fields.push_back({std::string(field.name_string()), std::string(field.value())});
  }
  return answer;
}

}  // namespace weir::server
