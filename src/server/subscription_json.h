// SPDX-License-Identifier: Apache-2.0
// Subscriptions and dead letters as the API shows them.
#pragma once

#include <string>

#include "broker/broker.h"
#include "server/warning_json.h"

namespace weir::server {

// In RFC 3339, UTC.
std::string time_text(base::Instant instant);

// With the warnings about its filters if there are any: for whoever sent the document.
void append_subscription(const broker::SubscriptionInfo& info, std::string& out,
                         Warnings warnings = {});
void append_dead_letter(const store::DeadLetterRow& letter, std::string& out);

}  // namespace weir::server
