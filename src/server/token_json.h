// SPDX-License-Identifier: Apache-2.0
// Tokens as JSON. No secret is in it, nor anything by which one is found.
#pragma once

#include <string>

#include "base/result.h"
#include "broker/token_admin.h"
#include "server/request.h"

namespace weir::server {

// {"name":"desk","grants":{},"created":"...","expires":"...","revoked":false,"former_until":[]}
void append_token(const broker::TokenInfo& info, std::string& out);

// Of a body {"name":"desk","grants":{},"expires":"2027-01-02T03:04:05Z"}.
base::Result<broker::TokenRequest> read_token_request(const Request& request);
// Of a body {"overlap":"24h"}, or none.
base::Result<base::Duration> read_overlap(const Request& request);

}  // namespace weir::server
