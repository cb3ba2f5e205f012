// SPDX-License-Identifier: Apache-2.0
// Url: an absolute http or https address, taken apart and checked.
//
//   https://hooks.example.com:8443/in?x=1   -->  tls, "hooks.example.com", 8443, "/in?x=1"
//
// Stricter than browsers, so that two readers cannot disagree: no user names or passwords, no
// fragment, no %-escapes in the host, and a host that ends in a number is four decimal numbers
// (2130706433, 0177.0.0.1 and 127.1 are not). Names beyond ASCII come in their xn-- form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace weir::server {

inline constexpr std::size_t kUrlBytesMax = 2048;

struct Url {
  bool tls = false;
  std::string host;  // lower case; an IPv6 address without its brackets
  std::uint16_t port = 80;
  std::string target = "/";  // path and query

  // "example.com", "example.com:8080", "[::1]:8080": what the header Host says.
  std::string authority() const;
  // Always with the port: "example.com:80", "[::1]:8080".
  std::string endpoint() const;
  std::string to_string() const;

  bool operator==(const Url&) const = default;
};

// Errors carry the given id and the position in the text.
base::Result<Url> parse_url(std::string_view text,
                            base::ErrorId error_id = base::ErrorId::kBrokerSink);

}  // namespace weir::server
