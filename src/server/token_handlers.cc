// SPDX-License-Identifier: Apache-2.0
// /tokens and below: for an admin. The calls wait for the disk, or for a hash, off the io threads.
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wiped.h"
#include "event/json_writer.h"
#include "server/handlers.h"
#include "server/page_limits.h"
#include "server/problem.h"
#include "server/token_json.h"

namespace weir::server {
namespace {

using broker::IssuedToken;
using broker::TokenInfo;

struct Done {};  // of a call that answers nothing

// The name of a token, never more of it.
void note(const Exchange& exchange, std::string_view what, std::string_view name) {
  Log* const log = exchange.services.options.log.get();
  if (log == nullptr) return;
  log->write(LogLevel::kInfo, what, {{"token", name}, {"by", exchange.principal->name}});
}

// The only answers that have a secret in them: nobody on the way is to keep one.
Response answer_secret(IssuedToken token, unsigned status) {
  const base::Wiped wiped(token.text);
  Response response = {.status = status, .is_secret = true};
  response.fields.emplace_back("Cache-Control", "no-store");
  if (status == 201) response.fields.emplace_back("Location", "/tokens/" + token.info.name);
  event::JsonObject object(response.body);
  object.member("secret", token.text);
  object.name("token");
  append_token(token.info, response.body);
  object.close();
  return response;
}

}  // namespace

Task<Response> list_tokens(Exchange& exchange) {
  const auto limit = exchange.query.count("limit", kPageCount, kPageCountMax);
  if (!limit) co_return problem_response(limit.error());
  const std::string after(exchange.query.text("after").value_or(""));
  using Page = std::vector<TokenInfo>;
  // One more than asked for tells whether there are more.
  std::function<base::Result<Page>()> call = [&] {
    return exchange.services.broker.token_admin().list(*exchange.principal, after, *limit + 1);
  };
  auto found = co_await exchange.services.slow_calls.run<Page>(std::move(call));
  if (!found) co_return problem_response(found.error());
  const bool more = found->size() > *limit;
  if (more) found->resize(*limit);
  Response response;
  event::JsonObject object(response.body);
  object.name("tokens");
  response.body += '[';
  for (const TokenInfo& info : *found) {
    if (&info != &found->front()) response.body += ',';
    append_token(info, response.body);
  }
  response.body += ']';
  if (more) object.member("next", found->back().name);
  object.close();
  co_return response;
}

Task<Response> create_token(Exchange& exchange) {
  const auto request = read_token_request(exchange.request);
  if (!request) co_return problem_response(request.error());
  std::function<base::Result<IssuedToken>()> call = [&] {
    return exchange.services.broker.token_admin().create(*exchange.principal, *request);
  };
  auto token = co_await exchange.services.slow_calls.run<IssuedToken>(std::move(call));
  if (!token) co_return problem_response(token.error());
  note(exchange, "a token was created", token->info.name);
  co_return answer_secret(*std::move(token), 201);
}

Task<Response> get_token(Exchange& exchange) {
  std::function<base::Result<TokenInfo>()> call = [&] {
    return exchange.services.broker.token_admin().get(*exchange.principal, exchange.id);
  };
  const auto info = co_await exchange.services.slow_calls.run<TokenInfo>(std::move(call));
  if (!info) co_return problem_response(info.error());
  Response response;
  append_token(*info, response.body);
  co_return response;
}

Task<Response> revoke_token(Exchange& exchange) {
  std::function<base::Result<Done>()> call = [&]() -> base::Result<Done> {
    const auto revoked =
        exchange.services.broker.token_admin().revoke(*exchange.principal, exchange.id);
    if (!revoked) return revoked.error();
    return Done{};
  };
  const auto done = co_await exchange.services.slow_calls.run<Done>(std::move(call));
  if (!done) co_return problem_response(done.error());
  note(exchange, "a token was revoked", exchange.id);
  Response response = {.status = 204};
  co_return response;
}

Task<Response> rotate_token(Exchange& exchange) {
  const auto overlap = read_overlap(exchange.request);
  if (!overlap) co_return problem_response(overlap.error());
  std::function<base::Result<IssuedToken>()> call = [&] {
    return exchange.services.broker.token_admin().rotate(*exchange.principal, exchange.id,
                                                         *overlap);
  };
  auto token = co_await exchange.services.slow_calls.run<IssuedToken>(std::move(call));
  if (!token) co_return problem_response(token.error());
  note(exchange, "a token was rotated", token->info.name);
  co_return answer_secret(*std::move(token), 200);
}

}  // namespace weir::server
