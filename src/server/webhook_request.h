// SPDX-License-Identifier: Apache-2.0
// The two requests of the CloudEvents "HTTP 1.1 Web Hooks" specification, and how their answers
// look to the policy. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "broker/delivery.h"
#include "broker/webhook_policy.h"
#include "server/http_client_message.h"
#include "server/url.h"

namespace weir::server {

// OPTIONS: asks the sink for permission to send.
HttpCall permission_call(const Url& url, std::string_view origin,
                         std::optional<std::uint32_t> requests_per_minute);
broker::HandshakeOutcome permission_outcome(const base::Result<HttpAnswer>& answer);

// POST: an event in structured mode, or a group as a batch.
HttpCall delivery_call(const Url& url, std::string_view subscription,
                       const broker::Dispatch& dispatch);
// Says that it may have been delivered before.
void mark_redelivered(HttpCall& call);
broker::HttpOutcome delivery_outcome(const base::Result<HttpAnswer>& answer);

}  // namespace weir::server
