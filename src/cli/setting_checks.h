// SPDX-License-Identifier: Apache-2.0
// Checks of texts that settings take. The message says what was expected.
#pragma once

#include <string>

#include "base/result.h"
#include "server/server_options.h"

namespace weir::cli {

// ADDR:PORT, [IPV6]:PORT, with http:// or https:// before it if wanted; without, `tls` is false.
struct ListenText {
  server::Endpoint endpoint;
  bool has_scheme = false;
};
base::Result<ListenText> parse_listen(const std::string& text);

base::Result<void> check_listen(const std::string& text);
base::Result<void> check_grant(const std::string& text);
base::Result<void> check_network(const std::string& text);
base::Result<void> check_host(const std::string& text);
base::Result<void> check_text_language(const std::string& text);
base::Result<void> check_not_empty(const std::string& text);
// The name of a header, or nothing.
base::Result<void> check_header_name(const std::string& text);

// 127.0.0.0/8, ::1 and localhost.
bool is_loopback(const std::string& address);

}  // namespace weir::cli
