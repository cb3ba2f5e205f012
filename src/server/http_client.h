// SPDX-License-Identifier: Apache-2.0
// HttpClient: a blocking HTTP/1.1 client for one server, for commands.
//
// Keeps its connection between requests and opens a new one when the server has closed it. Follows
// no redirects, repeats nothing. An answer of any status is a success here: see refusal(). Nothing
// is thrown. Not thread-safe; a stream has a connection of its own and may outlive its client.
//
//   auto client = HttpClient::create({.url = "http://127.0.0.1:8080", .token = token});
//   if (!client) return client.error();
//   auto answer = client->request("POST", "/events", {{"Content-Type", type}}, body);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "server/http_client_message.h"

namespace weir::server {

struct HttpClientOptions {
  std::string url = {};    // of the server; targets are below its path
  std::string token = {};  // presented as a bearer token; empty: none
  std::string ca_file = {};
  bool insecure = false;  // takes every certificate
  HttpClientTimeouts timeouts = {};
  HttpClientLimits limits = {};
};

// The body of an answer without end, such as server-sent events, line by line.
class HttpStream {
 public:
  HttpStream(HttpStream&&) noexcept;
  HttpStream& operator=(HttpStream&&) noexcept;
  ~HttpStream();

  const HttpAnswer& answer() const;  // without its body
  // The next line without its end (LF or CRLF); nothing at the end of the body, where a line that
  // was begun is dropped. kHttpTimeout: none came in time, and it may be called again.
  base::Result<std::optional<std::string>> read_line(base::Duration timeout);

 private:
  friend class HttpClient;
  struct Impl;
  explicit HttpStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class HttpClient {
 public:
  // Checks the options; connects at the first request.
  static base::Result<HttpClient> create(HttpClientOptions options);

  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  base::Result<HttpAnswer> request(std::string_view method, std::string_view target,
                                   std::vector<HttpField> fields = {}, std::string body = {});
  // A GET whose body is read as it comes. kHttpRefused if the answer is not 200.
  base::Result<HttpStream> open_stream(std::string_view target, std::vector<HttpField> fields = {});

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::server
