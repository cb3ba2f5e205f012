// SPDX-License-Identifier: Apache-2.0
// What an HTTP client sends and gets, and its bounds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace weir::server {

struct HttpField {
  std::string name;
  std::string value;

  bool operator==(const HttpField&) const = default;
};

struct HttpCall {
  std::string method;
  std::string target;             // path and query
  std::vector<HttpField> fields;  // besides Host, User-Agent and Content-Length
  std::string body;
};

struct HttpAnswer {
  int status = 0;
  std::string reason;
  std::vector<HttpField> fields;
  std::string body;

  // The value of the first field of that name, in whatever case; null if there is none.
  const std::string* find(std::string_view name) const;
};

struct HttpClientTimeouts {
  base::Duration connect = base::Duration::seconds(10);  // name, address and TLS together
  base::Duration write = base::Duration::seconds(30);    // a whole request
  base::Duration read = base::Duration::seconds(30);     // a whole answer; of a stream, its header
};

struct HttpClientLimits {
  std::size_t header_bytes_max = std::size_t{16} << 10U;
  std::size_t body_bytes_max = std::size_t{16} << 20U;  // of a stream: one line
};

// The bytes of a request. Refuses (kHttpMalformed) what would not stay one request: spaces in the
// target, line ends in a field.
base::Result<std::string> serialize(const HttpCall& call, std::string_view authority);

// kHttpRefused: "POST /events: 403 Forbidden: <the beginning of the body>".
base::Error refusal(std::string_view method, std::string_view target, const HttpAnswer& answer);

}  // namespace weir::server
