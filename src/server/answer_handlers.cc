// SPDX-License-Identifier: Apache-2.0
// POST /subscriptions/{id}/ack and /nack: what was done with deliveries, said without a stream.
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "event/json_document.h"
#include "event/json_writer.h"
#include "server/answers.h"
#include "server/await_callback.h"
#include "server/handlers.h"
#include "server/json_body.h"
#include "server/problem.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;
using event::JsonKind;
using event::JsonRef;

Error wrong(const Request& request, std::string message) {
  return {ErrorId::kHttpParameter, std::move(message), base::position_at(request.body, 0)};
}

std::size_t member_count(const JsonRef& object) {
  std::size_t count = 0;
  object.for_each_member([&](const auto&, const auto&) { ++count; });
  return count;
}

base::Result<event::JsonDocument> document_of(const Request& request) {
  if (auto checked = check_json(request); !checked) return checked.error();
  return event::JsonDocument::parse(request.body);
}

// {"upto": n} of an exclusive subscription, {"numbers": [...]} of a shared one.
using Acknowledgement = std::variant<broker::DeliveryId, broker::Answer>;

base::Result<Acknowledgement> acknowledgement_of(const Request& request) {
  const auto document = document_of(request);
  if (!document) return document.error();
  const JsonRef root = document->root();
  if (root.kind() == JsonKind::kObject && member_count(root) == 1) {
    if (const auto upto = delivery_id_of(root.member("upto"))) return *upto;
    if (auto named = named_deliveries_of(root.member("numbers"))) {
      return broker::Answer{.numbers = std::move(named->numbers),
                            .incarnation = named->incarnation};
    }
  }
  return wrong(
      request,
      fmt::format(R"(expected {{"upto": <number or id of a delivery>}}, or {{"numbers": [<at most )"
                  R"({}>]}} of a shared subscription)",
                  kAnswerNumberCountMax));
}

base::Result<broker::Answer> nack_of(const Request& request) {
  const auto document = document_of(request);
  if (!document) return document.error();
  const JsonRef root = document->root();
  const bool is_object = root.kind() == JsonKind::kObject;
  auto named = is_object ? named_deliveries_of(root.member("numbers")) : std::nullopt;
  const JsonRef text = is_object ? root.member("delay") : JsonRef();
  if (!named || member_count(root) != (text ? 2U : 1U)) {
    return wrong(request, fmt::format(R"(expected {{"numbers": [<at most {} numbers or ids of )"
                                      R"(deliveries>], "delay": "5s"}})",
                                      kAnswerNumberCountMax));
  }
  const auto delay = nack_delay_of(text);
  if (!delay) return wrong(request, std::string(kNackDelayExpected));
  return broker::Answer{std::move(named->numbers), delay, named->incarnation};
}

// Named, since g++ 12 destroys temporaries of a co_await twice.
Task<Response> pass_on(Exchange& exchange, broker::Answer answer) {
  using Result = base::Result<std::vector<std::uint64_t>>;
  auto start = [&](std::function<void(Result)> done) {
    exchange.services.broker.answer(exchange.principal, exchange.id, std::move(answer),
                                    std::move(done));
  };
  const Result missed = co_await await_callback<Result>(std::move(start));
  if (!missed) co_return problem_response(missed.error());
  Response response;
  event::JsonObject object(response.body);
  object.raw("not_in_flight", fmt::format("[{}]", fmt::join(*missed, ",")));
  object.close();
  co_return response;
}

}  // namespace

Task<Response> acknowledge_deliveries(Exchange& exchange) {
  auto read = acknowledgement_of(exchange.request);
  if (!read) co_return problem_response(read.error());
  if (auto* const single = std::get_if<broker::Answer>(&*read)) {
    co_return co_await pass_on(exchange, std::move(*single));
  }
  const broker::DeliveryId upto = std::get<broker::DeliveryId>(*read);
  using Answer = base::Result<void>;
  auto start = [&](std::function<void(Answer)> done) {
    exchange.services.broker.acknowledge(exchange.principal, exchange.id, upto, std::move(done));
  };
  const Answer done = co_await await_callback<Answer>(std::move(start));
  if (!done) co_return problem_response(done.error());
  Response response = {.status = 204};
  co_return response;
}

Task<Response> nack_deliveries(Exchange& exchange) {
  auto read = nack_of(exchange.request);
  if (!read) co_return problem_response(read.error());
  co_return co_await pass_on(exchange, *std::move(read));
}

}  // namespace weir::server
