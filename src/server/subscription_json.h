// SPDX-License-Identifier: Apache-2.0
// Subscriptions and dead letters as the API shows them.
#pragma once

#include <string>

#include "broker/broker.h"

namespace weir::server {

void append_subscription(const broker::SubscriptionInfo& info, std::string& out);
void append_dead_letter(const store::DeadLetterRow& letter, std::string& out);

}  // namespace weir::server
