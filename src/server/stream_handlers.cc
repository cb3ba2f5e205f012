// SPDX-License-Identifier: Apache-2.0
// GET /subscriptions/{id}/events and GET /stream: opens a session, and chooses how it is sent.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "event/json_writer.h"
#include "server/handlers.h"
#include "server/http_text.h"
#include "server/problem.h"
#include "server/stream.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

constexpr std::array<std::string_view, 2> kSubscriptionParameters = {"last_event_id", "envelope"};
constexpr std::array<std::string_view, 4> kStreamParameters = {"filter", "outbox", "limit",
                                                               "envelope"};

bool accepts_sse(const Request& request) {
  const auto accept = request.field("accept");
  if (!accept) return true;
  bool accepts = false;
  for_each_in_list(*accept, [&](std::string_view element) {
    const std::string_view range = trim(element.substr(0, element.find(';')));
    accepts = accepts || equals_in_any_case(range, "text/event-stream") || range == "*/*" ||
              equals_in_any_case(range, "text/*");
  });
  return accepts;
}

base::Result<void> check_kind(const Exchange& exchange) {
  if (exchange.request.upgrade) return check_websocket(exchange);
  if (accepts_sse(exchange.request)) return {};
  return Error{ErrorId::kHttpMediaType,
               "events are sent as text/event-stream, or over WebSocket; Accept has neither",
               std::nullopt};
}

// The header, which a browser sends when it connects again, is newer than what the address says.
base::Result<std::optional<std::uint64_t>> last_event_id(const Request& request,
                                                         const Query& query) {
  const auto field = request.field("last-event-id");
  if (!field || field->empty()) return query.number("last_event_id");
  const auto number = parse_number(*field);
  if (!number) {
    return Error{ErrorId::kHttpParameter, "expected the number of a delivery in Last-Event-ID", {}};
  }
  return number;
}

base::Result<broker::DefinitionPtr> definition_of(const Exchange& exchange, const Query& query) {
  const broker::DefinitionLimits& limits = exchange.services.broker.options().definition;
  const std::string_view filter = query.text("filter").value_or("");
  const auto outbox = query.text("outbox");
  const auto limit = query.number("limit");
  if (!limit) return limit.error();
  // Alone first: so the place of an error is one in the filter.
  if (!filter.empty()) {
    auto alone = broker::Definition::of_filter(filter, limits);
    if (!alone || (!outbox && !*limit)) return alone;
  }
  std::string json;
  event::JsonObject object(json);
  if (!filter.empty()) {
    std::string weir;
    event::append_json(filter, weir);
    object.raw("filters", fmt::format(R"([{{"weir":{}}}])", weir));
  }
  if (outbox || *limit) {
    object.raw("config", R"({"outbox":)");
    event::JsonObject config(json);
    if (outbox) config.member("policy", *outbox);
    if (*limit) config.member("limit", **limit);
    config.close();
    json += '}';
  }
  object.close();
  return broker::Definition::parse(json, limits);
}

// Waits until the broker has begun the session or refused it.
Task<std::optional<Error>> begin(Exchange& exchange, Stream& stream) {
  for (;;) {
    StreamInbox::Contents contents = stream.inbox->take();
    if (contents.began) {
      stream.first = std::move(contents);
      co_return std::nullopt;
    }
    if (contents.end) co_return std::move(contents.end);
    if (exchange.stop.stopping) {
      std::optional<Error> stopping =
          Error{ErrorId::kBrokerStopping, "the server is stopping", std::nullopt};
      co_return stopping;
    }
    co_await stream.signal->wait(exchange.services.options.write_timeout);
  }
}

Task<Response> serve_stream(Exchange& exchange, Stream& stream) {
  exchange.stop.notify = [signal = stream.signal] { signal->set(); };
  const auto refused = co_await begin(exchange, stream);
  Response response;
  if (refused) {
    response = problem_response(*refused);
  } else {
    Metrics& metrics = exchange.services.metrics;
    const bool websocket = exchange.request.upgrade;
    metrics.stream_opened(websocket);
    // g++ 12 would run both branches of `websocket ? co_await ... : co_await ...`.
    if (websocket) {
      response = co_await serve_websocket(exchange, stream);
    } else {
      response = co_await serve_sse(exchange, stream);
    }
    metrics.stream_closed(websocket);
  }
  exchange.stop.notify = nullptr;
  stream.close();
  co_return response;
}

}  // namespace

Task<Response> stream_subscription(Exchange& exchange) {
  if (const auto checked = check_kind(exchange); !checked) {
    co_return problem_response(checked.error());
  }
  const auto query = Query::parse(exchange.request.query, kSubscriptionParameters);
  if (!query) co_return problem_response(query.error());
  const auto last = last_event_id(exchange.request, *query);
  if (!last) co_return problem_response(last.error());
  const auto envelope = query->flag("envelope");
  if (!envelope) co_return problem_response(envelope.error());

  Stream stream(exchange.transport.socket().get_executor(), exchange.services.options);
  stream.envelope = *envelope;
  stream.subscription = exchange.id;
  stream.session =
      exchange.services.broker.attach(exchange.principal, exchange.id, *last, stream.inbox);
  co_return co_await serve_stream(exchange, stream);
}

Task<Response> stream_filter(Exchange& exchange) {
  if (const auto checked = check_kind(exchange); !checked) {
    co_return problem_response(checked.error());
  }
  const auto query = Query::parse(exchange.request.query, kStreamParameters);
  if (!query) co_return problem_response(query.error());
  const auto envelope = query->flag("envelope");
  if (!envelope) co_return problem_response(envelope.error());
  auto definition = definition_of(exchange, *query);
  if (!definition) co_return problem_response(definition.error());

  Stream stream(exchange.transport.socket().get_executor(), exchange.services.options);
  stream.envelope = *envelope;
  stream.session =
      exchange.services.broker.stream(exchange.principal, std::move(*definition), stream.inbox);
  co_return co_await serve_stream(exchange, stream);
}

}  // namespace weir::server
