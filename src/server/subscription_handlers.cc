// SPDX-License-Identifier: Apache-2.0
// /subscriptions and below, but for their streams and acknowledgements.
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/explanation_json.h"
#include "event/json_writer.h"
#include "server/await_callback.h"
#include "server/event_request.h"
#include "server/handlers.h"
#include "server/json_body.h"
#include "server/page_limits.h"
#include "server/problem.h"
#include "server/sink_check.h"
#include "server/subscription_json.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;
using broker::PutMode;
using broker::SubscriptionInfo;

using Definition = base::Result<broker::DefinitionPtr>;

Definition parse_definition(const Exchange& exchange) {
  if (auto checked = check_json(exchange.request); !checked) return checked.error();
  auto definition = broker::Definition::parse(exchange.request.body,
                                              exchange.services.broker.options().definition);
  if (!definition || (*definition)->sink().empty()) return definition;
  const auto checked = check_sink((*definition)->sink(), exchange.services.options.sink_guard);
  if (!checked) return checked.error();
  return definition;
}

Task<Definition> definition_of(const Exchange& exchange) {
  std::function<Definition()> parse = [&] { return parse_definition(exchange); };
  Definition definition = co_await exchange.services.decode_threads.run(std::move(parse));
  co_return definition;
}

Task<base::Result<SubscriptionInfo>> put(Exchange& exchange, broker::DefinitionPtr definition,
                                         std::optional<std::string> id, PutMode mode) {
  using Answer = base::Result<SubscriptionInfo>;
  auto start = [&](std::function<void(Answer)> done) {
    exchange.services.broker.put(exchange.principal, std::move(definition), std::move(id), mode,
                                 std::move(done));
  };
  co_return co_await await_callback<Answer>(std::move(start));
}

Response answer(const SubscriptionInfo& info, unsigned status, Warnings warnings = {}) {
  Response response = {.status = status};
  append_subscription(info, response.body, warnings);
  if (status == 201) response.fields.emplace_back("Location", "/subscriptions/" + info.id);
  return response;
}

Response answer_done(const base::Result<void>& done) {
  if (!done) return problem_response(done.error());
  return Response{.status = 204};
}

// The event to forget or to explain: one, as it was published.
Task<base::Result<event::EventPtr>> event_of(const Exchange& exchange) {
  const auto mode = content_mode(exchange.request.fields);
  if (!mode) co_return mode.error();
  if (*mode == ContentMode::kBatch) {
    co_return Error{
        ErrorId::kHttpMediaType, "expected one event, structured or binary, no batch", {}};
  }
  std::function<base::Result<event::EventPtr>()> decode = [&] {
    return decode_one(exchange, *mode);
  };
  auto event = co_await exchange.services.decode_threads.run(exchange.request.body.size(),
                                                             std::move(decode));
  co_return event;
}

// A thousand of them take some milliseconds.
Response list_page(const Exchange& exchange, std::size_t limit) {
  // One more than asked for tells whether there are more.
  auto found = exchange.services.broker.list(exchange.principal,
                                             exchange.query.text("after").value_or(""), limit + 1);
  const bool more = found.size() > limit;
  if (more) found.resize(limit);
  Response response;
  event::JsonObject object(response.body);
  object.name("subscriptions");
  response.body += '[';
  for (const SubscriptionInfo& info : found) {
    if (&info != &found.front()) response.body += ',';
    append_subscription(info, response.body);
  }
  response.body += ']';
  if (more) object.member("next", found.back().id);
  object.close();
  return response;
}

}  // namespace

Task<Response> list_subscriptions(Exchange& exchange) {
  const auto limit = exchange.query.count("limit", kPageCount, kPageCountMax);
  if (!limit) co_return problem_response(limit.error());
  std::function<Response()> list = [&] { return list_page(exchange, *limit); };
  Response response = co_await exchange.services.decode_threads.run(std::move(list));
  co_return response;
}

Task<Response> create_subscription(Exchange& exchange) {
  auto definition = co_await definition_of(exchange);
  if (!definition) co_return problem_response(definition.error());
  std::optional<std::string> no_id;
  const auto info = co_await put(exchange, *definition, std::move(no_id), PutMode::kCreate);
  co_return info ? answer(*info, 201, (*definition)->warnings()) : problem_response(info.error());
}

Task<Response> get_subscription(Exchange& exchange) {
  const auto info = exchange.services.broker.get(exchange.principal, exchange.id);
  co_return info ? answer(*info, 200) : problem_response(info.error());
}

Task<Response> put_subscription(Exchange& exchange) {
  auto definition = co_await definition_of(exchange);
  if (!definition) co_return problem_response(definition.error());
  const bool existed = exchange.services.broker.get(exchange.principal, exchange.id).has_value();
  std::optional<std::string> id = exchange.id;
  const auto info = co_await put(exchange, *definition, std::move(id), PutMode::kCreateOrReplace);
  if (!info) co_return problem_response(info.error());
  co_return answer(*info, existed ? 200 : 201, (*definition)->warnings());
}

Task<Response> delete_subscription(Exchange& exchange) {
  using Answer = base::Result<void>;
  auto start = [&](std::function<void(Answer)> done) {
    exchange.services.broker.remove(exchange.principal, exchange.id, std::move(done));
  };
  const Answer done = co_await await_callback<Answer>(std::move(start));
  co_return answer_done(done);
}

Task<Response> forget_event(Exchange& exchange) {
  auto event = co_await event_of(exchange);
  if (!event) co_return problem_response(event.error());
  using Answer = base::Result<bool>;
  auto start = [&](std::function<void(Answer)> done) {
    exchange.services.broker.forget(exchange.principal, exchange.id, std::move(*event),
                                    std::move(done));
  };
  const Answer forgotten = co_await await_callback<Answer>(std::move(start));
  if (!forgotten) co_return problem_response(forgotten.error());
  Response response;
  event::JsonObject object(response.body);
  object.member("forgotten", *forgotten);
  object.close();
  co_return response;
}

Task<Response> explain_event(Exchange& exchange) {
  auto event = co_await event_of(exchange);
  if (!event) co_return problem_response(event.error());
  using Answer = base::Result<engine::EventExplanation>;
  auto start = [&](std::function<void(Answer)> done) {
    exchange.services.broker.explain(exchange.principal, exchange.id, std::move(*event),
                                     std::move(done));
  };
  const Answer explanation = co_await await_callback<Answer>(std::move(start));
  if (!explanation) co_return problem_response(explanation.error());
  Response response;
  engine::append_json(*explanation, response.body);
  co_return response;
}

}  // namespace weir::server
