// SPDX-License-Identifier: Apache-2.0
// What can be told of a sink before anything is sent there: that it is a URL, and, if its host is
// an address, that this one may have sinks. Names are looked up at every connection, not here.
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/address_guard.h"

namespace weir::server {

// kBrokerSink if events cannot be posted there.
base::Result<void> check_sink(std::string_view sink, const AddressGuard& guard);

}  // namespace weir::server
