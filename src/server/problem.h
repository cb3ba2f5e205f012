// SPDX-License-Identifier: Apache-2.0
// Errors as HTTP says them: a status, and a document of RFC 9457 (application/problem+json).
//
//   {"type":"about:blank","title":"time is not an RFC 3339 timestamp","status":400,
//    "detail":"line 1, column 7: expected ...","error":128,"name":"event.time",
//    "position":{"line":1,"column":7,"offset":6}}
#pragma once

#include <string>

#include "base/error.h"
#include "server/request.h"

namespace weir::server {

// One table for all errors: by their number where it says more than the code, else by the code.
unsigned http_status(const base::Error& error);

// {"line":1,"column":7,"offset":6}
void append_position(const base::Position& position, std::string& out);
void append_problem(const base::Error& error, std::string& out);

// With WWW-Authenticate or Retry-After where the status asks for it.
Response problem_response(const base::Error& error);

}  // namespace weir::server
