// SPDX-License-Identifier: Apache-2.0
// ServerTest: a server on a free port of this machine, over a fake broker.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/fake_broker_testing.h"
#include "server/http_test_client_testing.h"
#include "server/server.h"

namespace weir::server {

class ServerTest : public testing::Test {
 protected:
  // Options for tests: one endpoint on any port, times that are short where they are waited for.
  static ServerOptions quick_options();

  void start(ServerOptions options = quick_options());
  std::uint16_t port() const { return server_->ports().front(); }
  TestClient connect() const { return TestClient(port()); }
  // A subscription of that id.
  void subscribe(std::string_view id);
  // The value of a metric's line, by its beginning; empty if there is none.
  std::string metric(std::string_view line_begin) const;

  FakeBroker broker_;
  std::unique_ptr<Server> server_;
};

inline constexpr std::string_view kStructured = "Content-Type: application/cloudevents+json\r\n";
inline constexpr std::string_view kBatch = "Content-Type: application/cloudevents-batch+json\r\n";

// A valid event in JSON format.
std::string event_json(std::string_view id);

}  // namespace weir::server
