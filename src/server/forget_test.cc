// SPDX-License-Identifier: Apache-2.0
// Windows of distinct clauses, over real sockets: POST /subscriptions/{id}/forget, and how they are
// shown.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kForget = "/subscriptions/d/forget";

class ForgetTest : public ServerTest {
 protected:
  ForgetTest() {
    start();
    subscribe_distinct("d", "distinct(data.x) within 1h");
  }

  std::string subscribe_distinct(std::string_view id, std::string_view filter) const {
    TestClient client = connect();
    const TestAnswer answer =
        client.request("PUT", fmt::format("/subscriptions/{}", id), "",
                       fmt::format(R"({{"filters":[{{"weir":"{}"}}]}})", filter));
    EXPECT_EQ(answer.status, 201U) << answer.body;
    return answer.body;
  }
};

TEST_F(ForgetTest, TakesAStructuredEventAndTellsWhetherItWasSeen) {
  TestClient client = connect();
  const TestAnswer seen = client.request("POST", kForget, kStructured, event_json("seen"));
  EXPECT_EQ(seen.status, 200U);
  EXPECT_EQ(seen.body, R"({"forgotten":true})");
  EXPECT_EQ(seen.field("content-type"), "application/json");
  const TestAnswer unseen = client.request("POST", kForget, kStructured, event_json("1"));
  EXPECT_EQ(unseen.status, 200U);
  EXPECT_EQ(unseen.body, R"({"forgotten":false})");
}

TEST_F(ForgetTest, TakesABinaryEvent) {
  TestClient client = connect();
  const TestAnswer answer =
      client.request("POST", kForget,
                     "ce-specversion: 1.0\r\nce-id: seen\r\nce-source: /s\r\nce-type: t\r\n"
                     "Content-Type: application/json\r\n",
                     R"({"x":1})");
  EXPECT_EQ(answer.status, 200U) << answer.body;
  EXPECT_EQ(answer.body, R"({"forgotten":true})");
}

TEST_F(ForgetTest, TakesNoBatch) {
  TestClient client = connect();
  const TestAnswer answer =
      client.request("POST", kForget, kBatch, fmt::format("[{}]", event_json("seen")));
  EXPECT_EQ(answer.status, 415U);
  EXPECT_THAT(answer.body, HasSubstr("expected one event"));
}

TEST_F(ForgetTest, RefusesWhatIsNoEvent) {
  TestClient client = connect();
  const TestAnswer broken = client.request("POST", kForget, kStructured, "{\"id\":\n?}");
  EXPECT_EQ(broken.status, 400U);
  EXPECT_THAT(broken.body, HasSubstr(R"("name":"json.syntax","position":{"line":2,"column":1)"));
  EXPECT_EQ(client.request("POST", kForget, "Content-Type: application/json\r\n", "{}").status,
            400U);
  EXPECT_EQ(client.request("GET", kForget).status, 405U);
}

TEST_F(ForgetTest, TranslatesWhatTheBrokerSays) {
  subscribe("plain");
  TestClient client = connect();
  const std::string event = event_json("often");
  const TestAnswer keyless =
      client.request("POST", "/subscriptions/plain/forget", kStructured, event);
  EXPECT_EQ(keyless.status, 400U);
  EXPECT_THAT(keyless.body, HasSubstr(R"("name":"engine.keys")"));
  EXPECT_EQ(client.request("POST", "/subscriptions/x/forget", kStructured, event).status, 404U);
  const TestAnswer often = client.request("POST", kForget, kStructured, event);
  EXPECT_EQ(often.status, 429U);
  EXPECT_THAT(often.body, HasSubstr(R"("name":"engine.too_many_forgotten")"));
  EXPECT_EQ(metric(R"(weir_limit_errors_total{error="engine.too_many_forgotten"})"), "1");
}

TEST_F(ForgetTest, NeedsATokenAsOtherChangesDo) {
  TestClient client = connect();
  const TestAnswer answer =
      client.request("POST", kForget, fmt::format("{}Authorization: Bearer wrong\r\n", kStructured),
                     event_json("seen"));
  EXPECT_EQ(answer.status, 401U);
}

TEST_F(ForgetTest, ShowsHowTheWindowStands) {
  const std::string approximate = subscribe_distinct("a", "distinct(data.x) within 1h");
  EXPECT_THAT(approximate,
              HasSubstr(R"("connected":false,"window":{"keys":1,"keys_max":10,"bytes":2,)"
                        R"("bytes_max":4096,"hits":3,"refuted_hits":4,"overflow":5},"trouble":)"));
  EXPECT_THAT(subscribe_distinct("e", "distinct(data.x) within 1h exact"),
              HasSubstr(R"("window":{"keys":1,"keys_max":10,"bytes":2,"hits":3,)"
                        R"("refuted_hits":4,"overflow":5})"));
  EXPECT_THAT(subscribe_distinct("p", "data.x = 1"), Not(HasSubstr("window")));
  TestClient client = connect();
  EXPECT_EQ(client.request("GET", "/subscriptions/a").body, approximate);
  EXPECT_THAT(client.request("GET", "/subscriptions").body, HasSubstr(approximate));
}

TEST_F(ForgetTest, CountsWindowsInMetrics) {
  EXPECT_EQ(metric("weir_window_hits_total"), "1");
  EXPECT_EQ(metric("weir_window_refuted_hits_total"), "2");
  EXPECT_EQ(metric("weir_window_overflow_total"), "3");
  EXPECT_EQ(metric("weir_window_keys"), "4");
  EXPECT_EQ(metric("weir_window_bytes"), "5");
  EXPECT_EQ(metric("weir_dedup_keys"), "6");
  EXPECT_EQ(metric("weir_dedup_bytes"), "7");
}

}  // namespace
}  // namespace weir::server
