// SPDX-License-Identifier: Apache-2.0
#include "server/connection.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/wiped.h"
#include "server/access.h"
#include "server/handlers.h"
#include "server/http_text.h"
#include "server/negotiation.h"
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

Error too_many_connections() {
  return {ErrorId::kHttpTooManyConnections, "there are too many connections", std::nullopt};
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

Connection::~Connection() {
  base::wipe(token_);
  services_.metrics.connection_closed();
}

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
  const Beginning beginning = co_await transport_->begin();
  if (deadline_.expired()) services_.metrics.count_limit(Limit::kHeaderTimeout);
  if (beginning == Beginning::kFailed) {
    transport_->close();
    co_return;
  }
  if (beginning == Beginning::kPlain) {
    const Error error = {ErrorId::kHttpPlain, "this port speaks https, not http", std::nullopt};
    co_await send_last(error);
  } else {
    while (co_await serve()) {
    }
  }
  co_await finish();
}

Task<void> Connection::run_reserved() {
  is_reserved_ = true;
  co_await run();
}

// Answers a peer whose request is not read.
Task<void> Connection::send_last(const Error& error) {
  Response response = problem_response(error);
  response.close = true;
  services_.metrics.count_error(error.id);
  services_.metrics.count_answer(routes().size(), response.status, Clock::duration(0));
  co_await send(std::move(response));
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
  if (is_reserved_) response.close = true;
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
              {"status", status}});
}

// All that can be refused is refused before the body is asked for.
Task<Response> Connection::answer(Exchange& exchange) {
  Request& request = exchange.request;
  auto match = find_route(request.path);
  if (!match) {
    co_return problem_response(is_reserved_ ? too_many_connections() : match.error());
  }
  route_index_ = match->route_index;
  exchange.id = std::move(match->id);
  exchange.delivery = std::move(match->delivery);
  const Route& route = routes()[route_index_];
  if (is_reserved_ && !route.is_about_server) co_return problem_response(too_many_connections());
  const auto method = find_method(route, request.method);
  const bool asks_what_is_allowed =
      request.method == "OPTIONS" && !(method && request.field(kWebhookRequestOrigin));
  if (asks_what_is_allowed) co_return answer_options(route);
  if (!method) co_return refuse_method(route, method.error());

  const auto admitted = co_await admit(exchange, route.access);
  if (!admitted) co_return problem_response(admitted.error());
  const auto received = co_await receive(exchange, *method);
  if (!received) {
    if (method->action == Action::kPublish) {
      services_.metrics.count_refused_event(received.error().id);
    }
    co_return problem_response(received.error());
  }
  exchange.has_bytes_after = reader_.has_bytes();
  Response response = co_await handler_of(method->action)(exchange);
  response.hides_body = request.method == "HEAD";
  co_return response;
}

Task<base::Result<PrincipalPtr>> Connection::principal_of(const Request& request) {
  const auto proxied = check_proxy(request, services_.options);
  if (!proxied) co_return proxied.error();
  auto token = token_of(request);
  if (!token) co_return token.error();
  if (!*token) {
    const auto allowed = check_anonymous(request, from_loopback_, services_.options);
    if (!allowed) co_return allowed.error();
    co_return services_.anonymous;
  }
  const std::uint64_t revision = services_.broker.token_revision();
  if (token_principal_ && is_same_token(token_, **token) && Clock::now() < token_until_ &&
      token_revision_ == revision) {
    co_return token_principal_;
  }
  base::wipe(token_);
  token_ = std::move(**token);
  token_principal_ = nullptr;
  auto found = co_await services_.authenticator.authenticate(token_);
  if (found) {
    token_principal_ = *found;
    token_revision_ = revision;
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

// The query and the body, unless what the header says of the body and the answer rules them out.
Task<base::Result<void>> Connection::receive(Exchange& exchange, const RouteMethod& method) {
  const Request& request = exchange.request;
  auto query = Query::parse(request.query, method.parameters);
  if (!query) co_return query.error();
  exchange.query = *std::move(query);
  base::Result<void> result = check_encoding(request);
  if (result && !request.upgrade) result = check_accept(request, method.produces);
  if (result) result = reader_.check_body();
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
  const std::string owner = exchange.principal ? exchange.principal->name : std::string();
  result = co_await reader_.read_body(owner);
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
  if (response.is_secret) {
    base::wipe(bytes);
    base::wipe(response.body);
  }
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
