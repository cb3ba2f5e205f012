// SPDX-License-Identifier: Apache-2.0
#include "server/handlers.h"

#include <string>

#include "event/json_writer.h"
#include "server/openapi.h"
#include "server/problem.h"

namespace weir::server {
namespace {

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

Handler handler_of(Action action) {
  switch (action) {
    case Action::kIndex:
      return serve_index;
    case Action::kHealth:
      return serve_health;
    case Action::kReady:
      return serve_ready;
    case Action::kMetrics:
      return serve_metrics;
    case Action::kOpenapi:
      return serve_openapi;
    case Action::kPublish:
      return publish_events;
    case Action::kGrantWebhook:
      return grant_webhook;
    case Action::kListSubscriptions:
      return list_subscriptions;
    case Action::kCreateSubscription:
      return create_subscription;
    case Action::kGetSubscription:
      return get_subscription;
    case Action::kPutSubscription:
      return put_subscription;
    case Action::kDeleteSubscription:
      return delete_subscription;
    case Action::kAcknowledge:
      return acknowledge_deliveries;
    case Action::kNack:
      return nack_deliveries;
    case Action::kForget:
      return forget_event;
    case Action::kExplain:
      return explain_event;
    case Action::kDeadLetters:
      return list_dead_letters;
    case Action::kResendDeadLetters:
      return resend_dead_letters;
    case Action::kPurgeDeadLetters:
      return purge_dead_letters;
    case Action::kSubscriptionEvents:
      return stream_subscription;
    case Action::kTransferSubscription:
      return transfer_subscription;
    case Action::kListTokens:
      return list_tokens;
    case Action::kCreateToken:
      return create_token;
    case Action::kGetToken:
      return get_token;
    case Action::kRevokeToken:
      return revoke_token;
    case Action::kRotateToken:
      return rotate_token;
    case Action::kTransferAll:
      return transfer_all_subscriptions;
    case Action::kStream:
      break;
  }
  return stream_filter;
}

Task<Response> serve_index(Exchange&) {
  Response response;
  event::JsonObject object(response.body);
  object.member("name", "weir");
  object.name("resources");
  event::JsonObject resources(response.body);
  for (const Route& route : routes()) resources.member(route.pattern, route.allow());
  resources.close();
  object.member("description", "/openapi.json");
  object.close();
  response.body += '\n';
  co_return response;
}

Task<Response> serve_health(Exchange&) {
  Response response = {.body = "{\"status\":\"alive\"}\n"};
  co_return response;
}

Task<Response> serve_ready(Exchange& exchange) {
  if (const auto trouble = exchange.services.broker.trouble()) {
    Response refusal = problem_response(*trouble);
    refusal.status = 503;
    co_return refusal;
  }
  Response response = {.body = "{\"status\":\"ready\"}\n"};
  co_return response;
}

Task<Response> serve_metrics(Exchange& exchange) {
  Services& services = exchange.services;
  Response response = {
      .content_type = kMetricsType,
      .body = services.metrics.text(services.broker.stats(), services.bodies.held_bytes())};
  co_return response;
}

Task<Response> serve_openapi(Exchange&) {
  Response response = {.body = std::string(openapi_document())};
  co_return response;
}

}  // namespace weir::server
