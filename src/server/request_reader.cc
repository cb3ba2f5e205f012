// SPDX-License-Identifier: Apache-2.0
#include "server/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/optional.hpp>
#include <optional>

#include "base/wiped.h"
#include "server/access.h"
#include "server/http_text.h"

namespace weir::server {
namespace {

namespace http = boost::beast::http;

using base::Error;
using base::ErrorId;

constexpr std::size_t kBufferBytes = 4096;
constexpr std::size_t kBodyBufferBytes = std::size_t{64} << 10U;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

Error malformed(std::string message) {
  return {ErrorId::kHttpMalformed, std::move(message), std::nullopt};
}

// A target that is a whole address: http://host:port/path?query. Its host counts, whatever the
// header Host says (RFC 9112, 3.2.2).
base::Result<void> take_absolute_target(std::string_view target, Request& request) {
  const std::size_t begin = target.find("://") + 3;
  const std::size_t end = std::min(target.find_first_of("/?", begin), target.size());
  const std::string_view authority = target.substr(begin, end - begin);
  if (host_name(authority).empty() || authority.find('@') != std::string_view::npos) {
    return malformed("expected a host, and no user, in the target of the request");
  }
  const std::string_view rest = target.substr(end);
  request.path = rest.starts_with('/') ? rest.substr(0, rest.find('?')) : "/";
  request.query = rest.substr(std::min(rest.find('?'), rest.size()));
  if (!request.query.empty()) request.query.remove_prefix(1);
  const auto is_host = [](const Field& field) { return equals_in_any_case(field.name, "host"); };
  const auto host = std::ranges::find_if(request.fields, is_host);
  if (host != request.fields.end()) {
    host->value = authority;
  } else if (request.minor_version == 0) {
    request.fields.push_back({"Host", authority});
  }
  return {};
}

base::Result<void> take_target(std::string_view target, Request& request) {
  if (starts_with_in_any_case(target, "http://") || starts_with_in_any_case(target, "https://")) {
    return take_absolute_target(target, request);
  }
  request.path = target.substr(0, target.find('?'));
  request.query = target.substr(std::min(request.path.size() + 1, target.size()));
  return {};
}

// What Beast lets through and would be read in two ways.
base::Result<void> check_framing(const Request& request) {
  const std::size_t encodings = request.count("transfer-encoding");
  if (encodings > 0) {
    const bool plain =
        encodings == 1 && equals_in_any_case(trim(*request.field("transfer-encoding")), "chunked");
    if (!plain || request.minor_version == 0) {
      return malformed("the only Transfer-Encoding is chunked, of HTTP/1.1");
    }
    if (request.count("content-length") > 0) {
      return malformed("both Transfer-Encoding and Content-Length are given");
    }
  }
  const std::size_t hosts = request.count("host");
  if (hosts > 1 || (hosts == 0 && request.minor_version == 1)) {
    return malformed("expected one header Host");
  }
  return {};
}

}  // namespace

struct RequestReader::Parser {
  std::optional<http::request_parser<http::string_body>> http;
};

RequestReader::RequestReader(Transport& transport, Deadline& deadline, Metrics& metrics,
                             BodyBudget& bodies, const ServerOptions& options)
    : transport_(transport),
      deadline_(deadline),
      metrics_(metrics),
      options_(options),
      parser_(std::make_unique<Parser>()),
      body_share_(bodies) {}

// A token may stand in it.
RequestReader::~RequestReader() { base::wipe(buffer_); }

bool RequestReader::is_done() const { return parser_->http && parser_->http->is_done(); }

// Reads some more into the buffer, which may grow up to the given size. False at the end.
Task<bool> RequestReader::fill(std::size_t capacity_bytes_max) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (begin_ > 0 && end_ == buffer_.size()) {
    buffer_.erase(0, begin_);
    buffer_.resize(std::max(kBufferBytes, end_ - begin_));
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    const std::size_t bytes = std::clamp(buffer_.size() * 2, kBufferBytes, capacity_bytes_max);
    buffer_.resize(std::max(bytes, buffer_.size()));
  }
  NetError error;
  const std::span<char> room(buffer_.data() + end_, buffer_.size() - end_);
  if (room.empty()) co_return false;
  end_ += co_await transport_.read_some(room, error);
  co_return !error;
}

// Feeds the parser. True: it has what it was made for. False: it needs more bytes.
base::Result<bool> RequestReader::parse() {
  auto& http = *parser_->http;
  const bool in_header = !http.is_header_done();
  while (has_bytes() && (in_header ? !http.is_header_done() : !http.is_done())) {
    NetError error;
    const auto unparsed = unread();
    const std::size_t parsed_bytes = http.put(boost::asio::buffer(unparsed), error);
    begin_ += parsed_bytes;
    // Beast's own limit does not count fields that arrive one by one.
    if (in_header) header_bytes_ += parsed_bytes;
    if (error == http::error::header_limit || header_bytes_ > options_.header_bytes_max) {
      return header_too_long();
    }
    if (error == http::error::need_more) break;
    if (error == http::error::body_limit) {
      metrics_.count_limit(Limit::kBodyBytes);
      return Error{ErrorId::kHttpBodyTooLarge,
                   fmt::format("the body is longer than {} bytes", options_.body_bytes_max),
                   {}};
    }
    if (error) return malformed(fmt::format("the request is malformed: {}", error.message()));
  }
  return in_header ? http.is_header_done() : http.is_done();
}

base::Error RequestReader::header_too_long() {
  metrics_.count_limit(Limit::kHeaderBytes);
  return {ErrorId::kHttpHeaderTooLarge,
          fmt::format("the header is longer than {} bytes", options_.header_bytes_max),
          {}};
}

base::Result<void> RequestReader::take_request() {
  auto& http = *parser_->http;
  const auto& message = http.get();
  request_.method = view(message.method_string());
  request_.minor_version = message.version() == 10 ? 0 : 1;
  request_.keep_alive = http.keep_alive();
  request_.chunked = http.chunked();
  for (const auto& field : message) {
    request_.fields.push_back({view(field.name_string()), view(field.value())});
  }
  if (auto taken = take_target(view(message.target()), request_); !taken) return taken;
  request_.upgrade =
      http.upgrade() && list_has(request_.field("upgrade").value_or(""), "websocket");
  if (const auto length = http.content_length()) request_.content_length = *length;
  if (request_.fields.size() > options_.header_count_max) {
    metrics_.count_limit(Limit::kHeaderBytes);
    return Error{ErrorId::kHttpHeaderTooLarge,
                 fmt::format("the header has more than {} fields", options_.header_count_max),
                 {}};
  }
  if (message.version() != 10 && message.version() != 11) {
    return malformed("the version is neither HTTP/1.1 nor HTTP/1.0");
  }
  return check_framing(request_);
}

Task<base::Result<bool>> RequestReader::read_header() {
  request_ = {};
  body_share_.clear();
  header_bytes_ = 0;
  if (buffer_.size() > kBodyBufferBytes / 4 && !has_bytes())
    buffer_ = std::string(kBufferBytes, '\0');
  parser_->http.emplace();
  parser_->http->header_limit(static_cast<std::uint32_t>(options_.header_bytes_max));
  parser_->http->body_limit(boost::none);
  const bool waits = !is_first_ && !has_bytes();
  bool began = !waits;
  deadline_.set(waits ? options_.idle_timeout : options_.header_timeout);
  is_first_ = false;
  for (;;) {
    const auto parsed = parse();
    if (!parsed) co_return parsed.error();
    if (*parsed) break;
    // A place for all of the header, and a byte more, so that the parser tells its limit.
    if (!co_await fill(options_.header_bytes_max + kBufferBytes)) {
      if (!deadline_.expired()) co_return false;
      metrics_.count_limit(began ? Limit::kHeaderTimeout : Limit::kIdleTimeout);
      if (!began || (!has_bytes() && header_bytes_ == 0)) co_return false;
      base::Result<bool> late =
          Error{ErrorId::kHttpTimeout, "the header did not arrive in time", std::nullopt};
      co_return late;
    }
    if (!began) deadline_.set(options_.header_timeout);
    began = true;
  }
  deadline_.clear();
  const auto taken = take_request();
  if (!taken) co_return taken.error();
  co_return true;
}

base::Result<void> RequestReader::check_body() const {
  if (request_.content_length.value_or(0) <= options_.body_bytes_max) return {};
  metrics_.count_limit(Limit::kBodyBytes);
  return Error{ErrorId::kHttpBodyTooLarge,
               fmt::format("the body is longer than {} bytes", options_.body_bytes_max),
               {}};
}

// The time that the body may take grows with what has arrived of it.
void RequestReader::set_body_deadline(Clock::time_point begin) {
  const std::size_t bytes = parser_->http->get().body().size();
  const std::size_t rate = std::max<std::size_t>(options_.body_bytes_per_second_min, 1);
  deadline_.set_at(begin + options_.body_timeout + Milliseconds(bytes * 1000 / rate));
}

Task<base::Result<void>> RequestReader::read_body(std::string_view owner) {
  base::Result<void> result;
  parser_->http->body_limit(options_.body_bytes_max);
  const Clock::time_point begin = Clock::now();
  while (!parser_->http->is_done()) {
    const auto parsed = parse();
    if (!parsed) co_return parsed.error();
    if (!body_share_.grow_to(parser_->http->get().body().size(), owner)) {
      metrics_.count_limit(Limit::kBodiesBytes);
      parser_->http->get().body() = std::string();
      body_share_.clear();
      result =
          Error{ErrorId::kBrokerBusy,
                "too many bodies of requests are in memory, yours or those of others; try again",
                std::nullopt};
      co_return result;
    }
    if (*parsed) break;
    set_body_deadline(begin);
    if (co_await fill(kBodyBufferBytes)) continue;
    if (deadline_.expired()) {
      metrics_.count_limit(Limit::kBodyTimeout);
      result = Error{ErrorId::kHttpTimeout, "the body did not arrive in time", std::nullopt};
    } else {
      result = malformed("the body ends before its end, or a chunk's header is too long");
    }
    co_return result;
  }
  deadline_.clear();
  request_.body = std::move(parser_->http->get().body());
  co_return result;
}

}  // namespace weir::server
