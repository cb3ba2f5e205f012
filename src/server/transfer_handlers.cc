// SPDX-License-Identifier: Apache-2.0
// Subscriptions that are given to another owner: for an admin.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "event/json_writer.h"
#include "server/await_callback.h"
#include "server/handlers.h"
#include "server/json_body.h"
#include "server/problem.h"
#include "server/subscription_json.h"

namespace weir::server {
namespace {

// A body of one member.
base::Result<std::string> read_name(const Request& request, std::string_view member) {
  const std::array members = {member};
  const auto body = JsonBody::parse(request, members);
  if (!body) return body.error();
  return body->text(member);
}

void note(const Exchange& exchange, std::string_view what, std::string_view owner,
          std::uint64_t count) {
  Log* const log = exchange.services.options.log.get();
  if (log == nullptr) return;
  log->write(LogLevel::kInfo, "subscriptions were transferred",
             {{"of", what},
              {"to", owner},
              {"count", fmt::to_string(count)},
              {"by", exchange.principal->name}});
}

}  // namespace

Task<Response> transfer_subscription(Exchange& exchange) {
  const auto owner = read_name(exchange.request, "owner");
  if (!owner) co_return problem_response(owner.error());
  using Answer = base::Result<broker::SubscriptionInfo>;
  auto start = [&](std::function<void(Answer)> done) {
    exchange.services.broker.transfer(exchange.principal, exchange.id, *owner, std::move(done));
  };
  const Answer info = co_await await_callback<Answer>(std::move(start));
  if (!info) co_return problem_response(info.error());
  note(exchange, info->id, *owner, 1);
  Response response;
  append_subscription(*info, response.body);
  co_return response;
}

Task<Response> transfer_all_subscriptions(Exchange& exchange) {
  const auto owner = read_name(exchange.request, "to");
  if (!owner) co_return problem_response(owner.error());
  using Answer = base::Result<std::size_t>;
  auto start = [&](std::function<void(Answer)> done) {
    exchange.services.broker.transfer_all(exchange.principal, exchange.id, *owner, std::move(done));
  };
  const Answer count = co_await await_callback<Answer>(std::move(start));
  if (!count) co_return problem_response(count.error());
  note(exchange, exchange.id, *owner, *count);
  Response response;
  event::JsonObject object(response.body);
  object.member("transferred", *count);
  object.close();
  co_return response;
}

}  // namespace weir::server
