// SPDX-License-Identifier: Apache-2.0
// What client and server agree on before a body is read: how it is encoded, and what the answer is.
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/request.h"

namespace weir::server {

// kHttpEncoding if the body is encoded (Content-Encoding) in any way but `identity`.
base::Result<void> check_encoding(const Request& request);

// kHttpAccept if Accept rules out `produced`, the media type of the answer. Parameters other than
// `q` are not looked at. An empty `produced` is an answer without a body: nothing is ruled out.
base::Result<void> check_accept(const Request& request, std::string_view produced);

// Whether Accept names the media type itself, not by a pattern such as */*.
bool accepts_by_name(const Request& request, std::string_view type);

}  // namespace weir::server
