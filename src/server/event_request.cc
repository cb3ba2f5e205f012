// SPDX-License-Identifier: Apache-2.0
#include "server/event_request.h"

#include "base/check.h"

namespace weir::server {

event::EventLimits event_limits(const Exchange& exchange) {
  event::EventLimits limits;
  limits.batch_count_max = exchange.services.broker.options().publish_event_count_max;
  limits.json.text_bytes_max = exchange.services.options.body_bytes_max;
  return limits;
}

base::Result<event::EventPtr> decode_one(const Exchange& exchange, ContentMode mode) {
  WEIR_CHECK(mode != ContentMode::kBatch);
  const Request& request = exchange.request;
  const event::EventLimits limits = event_limits(exchange);
  return mode == ContentMode::kStructured
             ? event::decode_event(request.body, limits)
             : decode_binary_event(request.fields, request.body, limits);
}

}  // namespace weir::server
