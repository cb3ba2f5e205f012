// SPDX-License-Identifier: Apache-2.0
// POST /events: events in one of the three content modes. Answered when the broker has them for
// good.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "event/json_writer.h"
#include "server/await_callback.h"
#include "server/event_request.h"
#include "server/handlers.h"
#include "server/problem.h"

namespace weir::server {
namespace {

using broker::PublishOutcome;
using broker::PublishStatus;
using Events = std::vector<base::Result<event::EventPtr>>;
using Outcomes = base::Result<std::vector<PublishOutcome>>;

// Events one by one, or why there are none. A single event that is invalid is no event.
base::Result<Events> decode(const Exchange& exchange, ContentMode mode) {
  if (mode == ContentMode::kBatch) {
    return event::decode_batch(exchange.request.body, event_limits(exchange));
  }
  auto event = decode_one(exchange, mode);
  if (!event) return event.error();
  Events events;
  events.push_back(std::move(event));
  return events;
}

void append_outcome(const PublishOutcome& outcome, event::JsonObject& object, std::string& out) {
  switch (outcome.status) {
    case PublishStatus::kAccepted:
      object.member("status", "accepted");
      object.member("sequence", outcome.sequence);
      break;
    case PublishStatus::kDuplicate:
      object.member("status", "duplicate");
      break;
    case PublishStatus::kRejected:
      object.member("status", "rejected");
      if (outcome.error) {
        object.name("error");
        append_problem(*outcome.error, out);
      }
      break;
  }
}

Response answer_one(const PublishOutcome& outcome) {
  if (outcome.error) return problem_response(*outcome.error);
  Response response = {.status = outcome.status == PublishStatus::kAccepted ? 202U : 200U};
  event::JsonObject object(response.body);
  append_outcome(outcome, object, response.body);
  object.close();
  return response;
}

bool is_invalid(const PublishOutcome& outcome) {
  return outcome.status == PublishStatus::kRejected && outcome.error &&
         outcome.error->code() == base::ErrorCode::kInvalidInput;
}

void count_errors(const std::vector<PublishOutcome>& outcomes, Metrics& metrics) {
  for (const PublishOutcome& outcome : outcomes) {
    if (outcome.error) metrics.count_error(outcome.error->id);
  }
}

Response answer_batch(const std::vector<PublishOutcome>& outcomes) {
  const auto count = [&](PublishStatus status) {
    return static_cast<std::size_t>(std::ranges::count(outcomes, status, &PublishOutcome::status));
  };
  Response response;
  if (!outcomes.empty() && std::ranges::all_of(outcomes, is_invalid)) response.status = 400;
  std::string& out = response.body;
  event::JsonObject object(out);
  object.member("accepted", count(PublishStatus::kAccepted));
  object.member("duplicates", count(PublishStatus::kDuplicate));
  object.member("rejected", count(PublishStatus::kRejected));
  object.name("results");
  for (std::size_t index = 0; index < outcomes.size(); ++index) {
    out += index == 0 ? '[' : ',';
    event::JsonObject result(out);
    result.member("index", index);
    append_outcome(outcomes[index], result, out);
    result.close();
  }
  out += outcomes.empty() ? "[]" : "]";
  object.close();
  return response;
}

// What cannot be taken apart counts as one event, whatever its author meant.
Response refuse(const Exchange& exchange, const base::Error& error) {
  exchange.services.metrics.count_refused_event(error.id);
  return problem_response(error);
}

}  // namespace

Task<Response> publish_events(Exchange& exchange) {
  const auto mode = content_mode(exchange.request.fields);
  if (!mode) co_return refuse(exchange, mode.error());
  std::function<base::Result<Events>()> work = [&] { return decode(exchange, *mode); };
  auto events =
      co_await exchange.services.decode_threads.run(exchange.request.body.size(), std::move(work));
  if (!events) co_return refuse(exchange, events.error());

  auto start = [&](std::function<void(Outcomes)> done) {
    exchange.services.broker.publish(exchange.principal, std::move(*events), std::move(done));
  };
  const Outcomes outcomes = co_await await_callback<Outcomes>(std::move(start));
  if (!outcomes) co_return problem_response(outcomes.error());
  if (*mode != ContentMode::kBatch) co_return answer_one(outcomes->front());
  count_errors(*outcomes, exchange.services.metrics);
  co_return answer_batch(*outcomes);
}

}  // namespace weir::server
