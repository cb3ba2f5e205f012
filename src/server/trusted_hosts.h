// SPDX-License-Identifier: Apache-2.0
// Hosts whose sinks need not give permission first, by the operator's word: "hooks.example.com",
// "10.1.2.3:8080", "[::1]:8080". Without a port, every port of the host.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/url.h"

namespace weir::server {

// Whether the text names a host, or a host and a port.
bool is_host(std::string_view text);

bool is_trusted(const Url& sink, std::span<const std::string> hosts);

}  // namespace weir::server
