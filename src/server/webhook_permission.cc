// SPDX-License-Identifier: Apache-2.0
// OPTIONS /events with WebHook-Request-Origin: another broker asks whether it may post its events
// here, as the CloudEvents "HTTP 1.1 Web Hooks" specification wants it.
#include <string>

#include "server/handlers.h"
#include "server/problem.h"

namespace weir::server {

// Granted to those who may publish, at any rate: a sender without the right learns it here, before
// its deliveries are refused one by one.
Task<Response> grant_webhook(Exchange& exchange) {
  if (exchange.principal->grants.publish.empty()) {
    const base::Error refused{base::ErrorId::kBrokerForbidden, "publishing is not granted",
                              std::nullopt};
    co_return problem_response(refused);
  }
  Response response;
  response.fields.emplace_back("Allow", "POST, OPTIONS");
  response.fields.emplace_back("WebHook-Allowed-Origin",
                               std::string(*exchange.request.field(kWebhookRequestOrigin)));
  response.fields.emplace_back("WebHook-Allowed-Rate", "*");
  co_return response;
}

}  // namespace weir::server
