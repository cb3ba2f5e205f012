// SPDX-License-Identifier: Apache-2.0
// Why a principal may not get what a subscription gets, although it may know of it.
#pragma once

#include <optional>

#include "base/error.h"
#include "broker/directory.h"
#include "broker/grants.h"

namespace weir::broker {

// kBrokerForbidden; nothing if it may. Of another's subscription that is an admin's question.
std::optional<base::Error> refusal_to_read(const Principal& principal, const DirectoryEntry& entry);

}  // namespace weir::broker
