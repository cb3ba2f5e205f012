// SPDX-License-Identifier: Apache-2.0
#include "server/connection.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "server/access.h"
#include "server/http_text.h"
#include "server/problem.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;
using broker::PrincipalPtr;

constexpr std::size_t kJoinedBodyBytesMax = std::size_t{64} << 10U;
constexpr std::size_t kDrainBytesMax = std::size_t{1} << 20U;

Response answer_options(const Route& route) {
  Response response = {.status = 204};
  response.fields.emplace_back("Allow", route.allow());
  return response;
}

Response refuse_method(const Route& route, const Error& error) {
  Response response = problem_response(error);
  response.fields.emplace_back("Allow", route.allow());
  return response;
}

}  // namespace

Connection::Connection(Services& services, std::unique_ptr<Transport> transport, bool from_loopback)
    : services_(services),
      transport_(std::move(transport)),
      from_loopback_(from_loopback),
      deadline_(transport_->socket().get_executor(), [this] { transport_->cancel(); }),
      reader_(*transport_, deadline_, services.metrics, services.bodies, services.options) {
  services_.metrics.connection_opened();
}

Connection::~Connection() { services_.metrics.connection_closed(); }

void Connection::begin_stop() {
  stop_.stopping = true;
  if (idle_) transport_->cancel();
  if (stop_.notify) stop_.notify();
}

void Connection::abort() {
  begin_stop();
  transport_->close();
}

Task<void> Connection::run() {
  deadline_.set(services_.options.header_timeout);
  const NetError error = co_await transport_->begin();
  if (deadline_.expired()) services_.metrics.count_limit(Limit::kHeaderTimeout);
  if (error) {
    transport_->close();
    co_return;
  }
  while (co_await serve()) {
  }
  co_await finish();
}

Task<void> Connection::refuse() {
  const Error error = {ErrorId::kHttpTooManyConnections, "there are too many connections",
                       std::nullopt};
  deadline_.set(services_.options.drain_timeout);
  const NetError failure = co_await transport_->begin();
  if (!failure) {
    Response response = problem_response(error);
    response.close = true;
    services_.metrics.count_error(error.id);
    services_.metrics.count_answer(routes().size(), response.status, Clock::duration(0));
    co_await send(std::move(response));
  }
  co_await finish();
}

Task<void> Connection::finish() {
  deadline_.set(services_.options.drain_timeout);
  co_await transport_->finish();
  co_await drain();
  transport_->close();
}

// One request. False if it was the last.
Task<bool> Connection::serve() {
  if (stop_.stopping) co_return false;
  route_index_ = routes().size();
  idle_ = true;
  const auto read = co_await reader_.read_header();
  idle_ = false;
  const Clock::time_point begin = Clock::now();
  if (read && !*read) co_return false;

  Response response;
  if (!read) {
    response = problem_response(read.error());
    response.close = true;
  } else {
    Exchange exchange = {.services = services_,
                         .request = reader_.request(),
                         .transport = *transport_,
                         .deadline = deadline_,
                         .stop = stop_};
    response = co_await answer(exchange);
    add_cross_origin_fields(reader_.request(), services_.options, response);
  }
  if (response.error) services_.metrics.count_error(*response.error);
  const unsigned status = response.status;
  const bool goes_on = co_await send(std::move(response));
  services_.metrics.count_answer(route_index_, status, Clock::now() - begin);
  log_answer(status);
  co_return goes_on;
}

// The path by its pattern, without the query, where a token may stand.
void Connection::log_answer(unsigned status) {
  Log* const log = services_.options.log.get();
  if (log == nullptr || !log->enabled(LogLevel::kDebug)) return;
  const bool known = route_index_ < routes().size();
  log->write(LogLevel::kDebug, "answered",
             {{"method", reader_.request().method},
              {"route", known ? routes()[route_index_].pattern : "none"},
              {"status", fmt::to_string(status)}});
}

// All that can be refused is refused before the body is asked for.
Task<Response> Connection::answer(Exchange& exchange) {
  Request& request = exchange.request;
  auto match = find_route(request.path);
  if (!match) co_return problem_response(match.error());
  route_index_ = match->route_index;
  exchange.id = std::move(match->id);
  const Route& route = routes()[route_index_];
  if (request.method == "OPTIONS") co_return answer_options(route);
  const auto action = find_action(route, request.method);
  if (!action) co_return refuse_method(route, action.error());

  const auto admitted = co_await admit(exchange, route.access);
  if (!admitted) co_return problem_response(admitted.error());
  const auto received = co_await receive_body();
  if (!received) co_return problem_response(received.error());
  exchange.has_bytes_after = reader_.has_bytes();
  Response response = co_await handler_of(*action)(exchange);
  response.hides_body = request.method == "HEAD";
  co_return response;
}

Task<base::Result<PrincipalPtr>> Connection::principal_of(const Request& request) {
  auto token = token_of(request);
  if (!token) co_return token.error();
  if (!*token) {
    const auto allowed = check_anonymous(request, from_loopback_, services_.options);
    if (!allowed) co_return allowed.error();
    co_return services_.anonymous;
  }
  if (token_principal_ && is_same_token(token_, **token) && Clock::now() < token_until_) {
    co_return token_principal_;
  }
  token_ = std::move(**token);
  token_principal_ = nullptr;
  auto found = co_await services_.authenticator.authenticate(token_);
  if (found) {
    token_principal_ = *found;
    token_until_ = Clock::now() + services_.options.authentication_lifetime;
  }
  co_return found;
}

Task<base::Result<void>> Connection::admit(Exchange& exchange, Access access) {
  base::Result<void> result;
  if (access == Access::kOpen) co_return result;
  auto principal = co_await principal_of(exchange.request);
  if (!principal) {
    result = principal.error();
  } else if (access == Access::kAdmin && !(*principal)->grants.admin) {
    result = Error{ErrorId::kBrokerForbidden, "this is for an admin", std::nullopt};
  } else {
    exchange.principal = *std::move(principal);
  }
  co_return result;
}

Task<base::Result<void>> Connection::receive_body() {
  const Request& request = reader_.request();
  base::Result<void> result = reader_.check_body();
  if (!result) co_return result;
  if (const auto expect = request.field("expect"); expect && request.minor_version == 1) {
    if (!equals_in_any_case(*expect, "100-continue")) {
      result = Error{ErrorId::kHttpMalformed, "the only Expect is 100-continue", std::nullopt};
      co_return result;
    }
    if (request.has_body() && !reader_.has_bytes()) {
      co_await write_all(*transport_, deadline_, services_.options.write_timeout,
                         "HTTP/1.1 100 Continue\r\n\r\n");
    }
  }
  result = co_await reader_.read_body();
  co_return result;
}

// False if nothing can follow.
Task<bool> Connection::send(Response response) {
  if (response.sent) co_return false;
  const bool keep_alive =
      reader_.request().keep_alive && reader_.is_done() && !response.close && !stop_.stopping;
  std::string bytes = head_of(response, keep_alive);
  const bool has_body = response.status != 204 && !response.hides_body;
  const bool join = has_body && response.body.size() <= kJoinedBodyBytesMax;
  if (join) bytes += response.body;
  const Milliseconds timeout = services_.options.write_timeout;
  bool sent = co_await write_all(*transport_, deadline_, timeout, bytes);
  if (sent && has_body && !join) {
    sent = co_await write_all(*transport_, deadline_, timeout, response.body);
  }
  if (deadline_.expired()) services_.metrics.count_limit(Limit::kWriteTimeout);
  if (!sent) transport_->close();
  co_return sent&& keep_alive;
}

// Takes for a moment what the peer still sends: to close at once would destroy the answer on its
// way.
Task<void> Connection::drain() {
  std::array<char, 4096> scratch;
  NetError error;
  std::size_t bytes = 0;
  while (!error && bytes < kDrainBytesMax && !deadline_.expired()) {
    bytes += co_await transport_->read_some(scratch, error);
  }
}

}  // namespace weir::server
