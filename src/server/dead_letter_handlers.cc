// SPDX-License-Identifier: Apache-2.0
// /subscriptions/{id}/dead-letters and below.
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "event/json_writer.h"
#include "server/await_callback.h"
#include "server/handlers.h"
#include "server/page_limits.h"
#include "server/problem.h"
#include "server/subscription_json.h"

namespace weir::server {
namespace {

using Answer = base::Result<broker::LetterCounts>;
using Change = void (broker::Broker::*)(const broker::PrincipalPtr& principal, std::string_view id,
                                        std::optional<std::uint64_t> delivery,
                                        broker::LettersDone done);

// The number in the path; nullopt if the path is about all letters.
base::Result<std::optional<std::uint64_t>> delivery_of(const Exchange& exchange) {
  if (exchange.delivery.empty()) return std::optional<std::uint64_t>();
  const std::optional<std::uint64_t> number = parse_number(exchange.delivery);
  if (number) return number;
  return base::Error{base::ErrorId::kBrokerNoSuchDeadLetter,
                     "expected the number of a dead letter in the path", std::nullopt};
}

// {"<name>": n, "left": m}
Task<Response> change_letters(Exchange& exchange, Change change, std::string_view name) {
  const auto delivery = delivery_of(exchange);
  if (!delivery) co_return problem_response(delivery.error());
  auto start = [&](std::function<void(Answer)> done) {
    (exchange.services.broker.*change)(exchange.principal, exchange.id, *delivery, std::move(done));
  };
  const Answer counts = co_await await_callback<Answer>(std::move(start));
  if (!counts) co_return problem_response(counts.error());
  Response response;
  event::JsonObject object(response.body);
  object.member(name, counts->done);
  object.member("left", counts->left);
  object.close();
  co_return response;
}

}  // namespace

Task<Response> list_dead_letters(Exchange& exchange) {
  const auto limit = exchange.query.count("limit", kPageCount, kPageCountMax);
  if (!limit) co_return problem_response(limit.error());
  const auto after = exchange.query.number("after");
  if (!after) co_return problem_response(after.error());
  auto letters = exchange.services.broker.dead_letters(exchange.principal, exchange.id,
                                                       after->value_or(0), *limit + 1);
  if (!letters) co_return problem_response(letters.error());
  std::size_t bytes = 0;
  for (const store::DeadLetterRow& letter : *letters) bytes += letter.events.size();
  const bool more = letters->size() > *limit || bytes >= broker::kLetterPageBytesMax;
  if (letters->size() > *limit) letters->resize(*limit);
  Response response;
  event::JsonObject object(response.body);
  object.name("dead_letters");
  response.body += '[';
  for (const store::DeadLetterRow& letter : *letters) {
    if (&letter != &letters->front()) response.body += ',';
    append_dead_letter(letter, response.body);
  }
  response.body += ']';
  if (more) object.member("next", letters->back().delivery);
  object.close();
  co_return response;
}

Task<Response> resend_dead_letters(Exchange& exchange) {
  co_return co_await change_letters(exchange, &broker::Broker::resend_dead_letters, "resent");
}

Task<Response> purge_dead_letters(Exchange& exchange) {
  co_return co_await change_letters(exchange, &broker::Broker::purge_dead_letters, "purged");
}

}  // namespace weir::server
