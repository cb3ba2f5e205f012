// SPDX-License-Identifier: Apache-2.0
// POST /subscriptions/{id}/explain, over real sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;

constexpr std::string_view kExplain = "/subscriptions/e/explain";

class ExplainTest : public ServerTest {
 protected:
  ExplainTest() {
    start();
    TestClient client = connect();
    const TestAnswer answer = client.request(
        "PUT", "/subscriptions/e", "", R"({"filters":[{"weir":"type = 't' and data.x > 1"}]})");
    EXPECT_EQ(answer.status, 201U) << answer.body;
  }

  TestAnswer explain(std::string_view fields, std::string_view body) const {
    TestClient client = connect();
    return client.request("POST", kExplain, fields, body);
  }
};

TEST_F(ExplainTest, TellsTheOutcomeAndEachPartOfTheFilter) {
  const TestAnswer answer = explain(kStructured, event_json("1"));
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.field("content-type"), "application/json");
  EXPECT_EQ(
      answer.body,
      R"({"delivered":false,"outcome":"no_match",)"
      R"("reason":"Not delivered: the filter is about other events.",)"
      R"("filter":{"text":"type = 't' and data.x > 1","holds":false,"decided":true,"detail":"",)"
      R"("parts":[{"text":"type = 't'","holds":true,"decided":false,"detail":"type is 't'",)"
      R"("parts":[]},{"text":"data.x > 1","holds":false,"decided":true,"detail":"data.x is 1",)"
      R"("parts":[]}]}})");
}

TEST_F(ExplainTest, TakesABinaryEvent) {
  const TestAnswer answer = explain(
      "ce-specversion: 1.0\r\nce-id: 1\r\nce-source: /s\r\nce-type: t\r\n"
      "Content-Type: application/json\r\n",
      R"({"x":2})");
  EXPECT_EQ(answer.status, 200U) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"({"delivered":true,"outcome":"passed",)"));
}

TEST_F(ExplainTest, TakesNoBatch) {
  const TestAnswer answer = explain(kBatch, fmt::format("[{}]", event_json("1")));
  EXPECT_EQ(answer.status, 415U);
  EXPECT_THAT(answer.body, HasSubstr("expected one event, structured or binary, no batch"));
}

TEST_F(ExplainTest, RefusesWhatIsNoEvent) {
  const TestAnswer broken = explain(kStructured, "{\"id\":\n?}");
  EXPECT_EQ(broken.status, 400U);
  EXPECT_THAT(broken.body, HasSubstr(R"("name":"json.syntax","position":{"line":2,"column":1)"));
  EXPECT_EQ(explain("Content-Type: application/json\r\n", "{}").status, 400U) << "no ce- headers";
  TestClient client = connect();
  EXPECT_EQ(client.request("GET", kExplain).status, 405U);
}

TEST_F(ExplainTest, IsForWhoMayReadASubscriptionThatIsThere) {
  broker_.add_token("reader", {.publish = {}, .subscribe = {{}}});
  broker_.add_token("writer", {.publish = {{}}, .subscribe = {}});
  const auto status = [&](std::string_view token, std::string_view target = kExplain) {
    TestClient client = connect();
    const std::string fields = fmt::format("{}Authorization: Bearer {}\r\n", kStructured, token);
    return client.request("POST", target, fields, event_json("1")).status;
  };
  EXPECT_EQ(status("reader"), 200U);
  EXPECT_EQ(status("writer"), 403U);
  EXPECT_EQ(status("wrong"), 401U);
  EXPECT_EQ(status("reader", "/subscriptions/none/explain"), 404U);
}

TEST_F(ExplainTest, PublishesNothingAndIsCountedAsARequest) {
  EXPECT_EQ(explain(kStructured, event_json("1")).status, 200U);
  EXPECT_EQ(explain(kStructured, event_json("1")).status, 200U);
  EXPECT_EQ(metric("weir_events_accepted_total"), "0");
  EXPECT_EQ(metric(R"(weir_http_requests_total{route="/subscriptions/{id}/explain",status="200"})"),
            "2");
}

TEST_F(ServerTest, AnEventToExplainIsAsLongAsOneToPublish) {
  ServerOptions options = quick_options();
  options.body_bytes_max = 100;
  start(std::move(options));
  subscribe("e");
  TestClient client = connect();
  EXPECT_EQ(client.request("POST", kExplain, kStructured, event_json("1")).status, 200U);
  const std::string id(100, 'x');
  EXPECT_EQ(client.request("POST", kExplain, kStructured, event_json(id)).status, 413U);
}

}  // namespace
}  // namespace weir::server
