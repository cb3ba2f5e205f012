// SPDX-License-Identifier: Apache-2.0
#include "server/server_testing.h"

#include <fmt/format.h>

#include "base/error_testing.h"

namespace weir::server {

ServerOptions ServerTest::quick_options() {
  ServerOptions options;
  options.endpoints = {Endpoint{.address = "127.0.0.1", .port = 0}};
  options.drain_timeout = std::chrono::milliseconds(300);
  return options;
}

void ServerTest::start(ServerOptions options) {
  auto server = Server::start(broker_, std::move(options));
  ASSERT_EQ(base::describe(server), "ok");
  server_ = std::move(*server);
}

void ServerTest::subscribe(std::string_view id) {
  TestClient client = connect();
  const TestAnswer answer = client.request("PUT", fmt::format("/subscriptions/{}", id), "", "{}");
  ASSERT_EQ(answer.status, 201U) << answer.body;
}

std::string ServerTest::metric(std::string_view line_begin) const {
  TestClient client = connect();
  const TestAnswer answer = client.request("GET", "/metrics");
  const std::size_t begin = answer.body.find(fmt::format("\n{} ", line_begin));
  if (begin == std::string::npos) return {};
  const std::size_t value = begin + line_begin.size() + 2;
  return answer.body.substr(value, answer.body.find('\n', value) - value);
}

std::string event_json(std::string_view id) {
  return fmt::format(
      R"({{"specversion":"1.0","id":"{}","source":"/s","type":"t","data":{{"x":1}}}})", id);
}

}  // namespace weir::server
