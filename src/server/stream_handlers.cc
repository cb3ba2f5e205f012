// SPDX-License-Identifier: Apache-2.0
// GET /subscriptions/{id}/events and GET /stream: opens a session, and chooses how it is sent.
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "event/json_writer.h"
#include "server/handlers.h"
#include "server/negotiation.h"
#include "server/problem.h"
#include "server/stream.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

// The header, which a browser sends when it connects again, is newer than what the address says.
// A browser repeats what a stream gave it, perhaps one that was before the subscription was made
// again: without an incarnation that acknowledges nothing. In the address a number stands because
// somebody has put it there, who knows what it is of.
base::Result<std::optional<broker::DeliveryId>> last_event_id(const Request& request,
                                                              const Query& query) {
  const auto field = request.field("last-event-id");
  const bool is_header = field && !field->empty();
  const auto text = is_header ? field : query.text("last_event_id");
  if (!text) return std::optional<broker::DeliveryId>();
  auto id = broker::parse_delivery_id(*text);
  if (!id) {
    return Error{ErrorId::kHttpParameter,
                 fmt::format("expected the id of a delivery in {}, such as 17@12",
                             is_header ? "Last-Event-ID" : "last_event_id"),
                 std::nullopt};
  }
  if (is_header && !id->incarnation) id->incarnation = broker::kNoIncarnation;
  return id;
}

// A GET that takes over a consumer and acknowledges must be meant so. Any page can have a browser
// load this address as an image or a frame, and old browsers tell nothing of the page. They send no
// token either, and their Accept does not name a stream.
base::Result<void> check_wants_stream(const Exchange& exchange) {
  const bool has_token = exchange.principal != exchange.services.anonymous;
  if (has_token || accepts_by_name(exchange.request, "text/event-stream")) return {};
  return Error{ErrorId::kHttpAccept,
               "expected the header 'Accept: text/event-stream', or a token: this takes over the "
               "subscription's consumer",
               std::nullopt};
}

// As JSON; empty: not given.
base::Result<std::string> start_of(const Query& query) {
  const auto text = query.text("start");
  if (!text) return std::string();
  const auto start = broker::parse_start(*text);
  if (start) return broker::to_json(*start);
  return Error{ErrorId::kHttpParameter, "start: " + start.error().message, std::nullopt};
}

// Errors about parameters are told here: those of the document that is made of them would name
// places that the client never wrote.
base::Result<void> check_parameters(const Query& query, const broker::DefinitionLimits& limits) {
  if (const auto filter = query.text("filter"); filter && filter->empty()) {
    return Error{ErrorId::kHttpParameter,
                 "expected a filter as query parameter 'filter', or no such parameter: all events",
                 std::nullopt};
  }
  const auto limit = query.count("limit", 1, limits.outbox_count_max);
  if (!limit) return limit.error();
  const auto outbox = query.text("outbox");
  if (!outbox || *outbox == "drop_oldest" || *outbox == "conflate") return {};
  return Error{ErrorId::kHttpParameter,
               fmt::format("expected drop_oldest or conflate as query parameter 'outbox', not '{}'",
                           *outbox),
               std::nullopt};
}

base::Result<broker::DefinitionPtr> definition_of(const Exchange& exchange) {
  const Query& query = exchange.query;
  const broker::DefinitionLimits& limits = exchange.services.broker.options().definition;
  if (const auto checked = check_parameters(query, limits); !checked) return checked.error();
  const std::string_view filter = query.text("filter").value_or("");
  const auto outbox = query.text("outbox");
  const auto limit = query.number("limit");
  if (!limit) return limit.error();
  const auto start = start_of(query);
  if (!start) return start.error();
  std::string config;
  event::JsonObject object(config);
  if (!start->empty()) object.raw("start", *start);
  if (outbox || *limit) {
    object.name("outbox");
    event::JsonObject bounds(config);
    if (outbox) bounds.member("policy", *outbox);
    if (*limit) bounds.member("limit", **limit);
    bounds.close();
  }
  object.close();
  if (!filter.empty()) return broker::Definition::of_filter(filter, limits, config);
  return broker::Definition::parse(fmt::format(R"({{"config":{}}})", config), limits);
}

// Waits until the broker has begun the session or refused it.
Task<std::optional<Error>> begin(Exchange& exchange, Stream& stream) {
  for (;;) {
    StreamInbox::Contents contents = stream.inbox->take();
    if (contents.began) {
      stream.start = *contents.began;
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

// Whether a client says to have seen a delivery that was never made: one of a subscription that has
// been made anew since, as a rule. A browser's EventSource ends for good at any status but 200, so
// it is told within the stream.
bool is_told_in_stream(const Exchange& exchange, const std::optional<Error>& refused) {
  return refused && refused->id == ErrorId::kBrokerAcknowledge && !exchange.request.upgrade;
}

Task<Response> serve_stream(Exchange& exchange, Stream& stream) {
  exchange.stop.notify = [signal = stream.signal] { signal->set(); };
  auto refused = co_await begin(exchange, stream);
  if (is_told_in_stream(exchange, refused)) {
    stream.notice = std::move(refused);
    stream.notice->message += "; the stream begins with the oldest delivery not acknowledged";
    stream.reset(exchange.transport.socket().get_executor());
    stream.session = exchange.services.broker.attach(exchange.principal, exchange.id, std::nullopt,
                                                     stream.inbox);
    refused = co_await begin(exchange, stream);
  }
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
  const auto checked =
      exchange.request.upgrade ? check_websocket(exchange) : check_wants_stream(exchange);
  if (!checked) co_return problem_response(checked.error());
  const auto last = last_event_id(exchange.request, exchange.query);
  if (!last) co_return problem_response(last.error());
  const auto envelope = exchange.query.flag("envelope");
  if (!envelope) co_return problem_response(envelope.error());

  Stream stream(exchange.transport.socket().get_executor(), exchange.services.options);
  stream.envelope = *envelope;
  stream.subscription = exchange.id;
  stream.session =
      exchange.services.broker.attach(exchange.principal, exchange.id, *last, stream.inbox);
  co_return co_await serve_stream(exchange, stream);
}

Task<Response> stream_filter(Exchange& exchange) {
  if (exchange.request.upgrade) {
    const auto checked = check_websocket(exchange);
    if (!checked) co_return problem_response(checked.error());
  }
  const auto envelope = exchange.query.flag("envelope");
  if (!envelope) co_return problem_response(envelope.error());
  std::function<base::Result<broker::DefinitionPtr>()> parse = [&] {
    return definition_of(exchange);
  };
  auto definition = co_await exchange.services.decode_threads.run(std::move(parse));
  if (!definition) co_return problem_response(definition.error());

  Stream stream(exchange.transport.socket().get_executor(), exchange.services.options);
  stream.envelope = *envelope;
  stream.warnings = (*definition)->warnings();
  stream.session =
      exchange.services.broker.stream(exchange.principal, std::move(*definition), stream.inbox);
  co_return co_await serve_stream(exchange, stream);
}

}  // namespace weir::server
