// SPDX-License-Identifier: Apache-2.0
// The handlers of all actions: each translates a request for the broker, and its answer back.
#pragma once

#include <string_view>

#include "server/exchange.h"

namespace weir::server {

Task<Response> serve_index(Exchange& exchange);
Task<Response> serve_health(Exchange& exchange);
Task<Response> serve_ready(Exchange& exchange);
Task<Response> serve_metrics(Exchange& exchange);
Task<Response> serve_openapi(Exchange& exchange);

Task<Response> publish_events(Exchange& exchange);

// The header by which a sender of webhooks asks for permission.
inline constexpr std::string_view kWebhookRequestOrigin = "webhook-request-origin";
Task<Response> grant_webhook(Exchange& exchange);

Task<Response> list_subscriptions(Exchange& exchange);
Task<Response> create_subscription(Exchange& exchange);
Task<Response> get_subscription(Exchange& exchange);
Task<Response> put_subscription(Exchange& exchange);
Task<Response> delete_subscription(Exchange& exchange);
Task<Response> acknowledge_deliveries(Exchange& exchange);
Task<Response> nack_deliveries(Exchange& exchange);
Task<Response> forget_event(Exchange& exchange);
Task<Response> explain_event(Exchange& exchange);
Task<Response> list_dead_letters(Exchange& exchange);
Task<Response> resend_dead_letters(Exchange& exchange);
Task<Response> purge_dead_letters(Exchange& exchange);

// For an admin.
Task<Response> transfer_subscription(Exchange& exchange);
Task<Response> list_tokens(Exchange& exchange);
Task<Response> create_token(Exchange& exchange);
Task<Response> get_token(Exchange& exchange);
Task<Response> revoke_token(Exchange& exchange);
Task<Response> rotate_token(Exchange& exchange);
Task<Response> transfer_all_subscriptions(Exchange& exchange);

// Server-sent events, or WebSocket if the request asks for it.
Task<Response> stream_subscription(Exchange& exchange);
Task<Response> stream_filter(Exchange& exchange);

}  // namespace weir::server
