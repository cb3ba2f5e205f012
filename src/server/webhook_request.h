// SPDX-License-Identifier: Apache-2.0
// The two requests of the CloudEvents "HTTP 1.1 Web Hooks" specification, and how their answers
// look to the policy. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"
#include "broker/delivery.h"
#include "broker/sink_config.h"
#include "broker/sink_secrets.h"
#include "broker/webhook_policy.h"
#include "server/http_client_message.h"
#include "server/url.h"

namespace weir::server {

// A sink as requests are made for it.
struct WebhookTarget {
  Url url = {};
  std::string subscription = {};  // its id
  base::Instant created = {};     // the subscription; numbers of deliveries are its own
  broker::SinkMode mode = broker::SinkMode::kStructured;
  broker::SinkSecretsPtr secrets = {};  // null: none
};

// OPTIONS: asks the sink for permission to send. `wall` is the wall clock when the answer came.
HttpCall permission_call(const WebhookTarget& target, std::string_view origin,
                         std::optional<std::uint32_t> requests_per_minute);
broker::HandshakeOutcome permission_outcome(const base::Result<HttpAnswer>& answer,
                                            base::Instant wall);

// POST: deliveries, at least one, in the mode of the sink, signed as of now, by the wall
// clock. Several, and a group, are a batch in every mode; so is a single one in batch mode.
HttpCall delivery_call(const WebhookTarget& target, std::span<const broker::Dispatch> deliveries,
                       base::Instant now);
broker::HttpOutcome delivery_outcome(const base::Result<HttpAnswer>& answer, base::Instant wall);

}  // namespace weir::server
