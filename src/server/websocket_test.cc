// SPDX-License-Identifier: Apache-2.0
// Streams over WebSocket, by a client that writes its frames by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;

constexpr unsigned kText = 1;
constexpr unsigned kBinary = 2;
constexpr unsigned kClose = 8;
constexpr unsigned kPing = 9;
constexpr unsigned kPong = 10;

class WebsocketTest : public ServerTest {
 protected:
  WebsocketTest() {
    ServerOptions options = quick_options();
    options.websocket_message_bytes_max = 1000;
    start(std::move(options));
    subscribe("a");
  }

  TestClient open(std::string_view target = "/subscriptions/a/events") {
    TestClient client = connect();
    const TestAnswer answer = client.upgrade(target);
    EXPECT_EQ(answer.status, 101U) << answer.head;
    EXPECT_EQ(answer.field("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    EXPECT_EQ(answer.field("sec-websocket-protocol"), "weir.v1");
    EXPECT_THAT(client.read_frame().payload, HasSubstr(R"({"type":"hello","protocol":"weir.v1")"));
    return client;
  }

  // What the server says, and how it closes.
  static void expect_refusal(TestClient& client, std::string_view text, unsigned code) {
    EXPECT_THAT(client.read_frame().payload, HasSubstr(text));
    EXPECT_EQ(client.read_frame().close_code(), code);
    client.send_frame(kClose, "");
    EXPECT_TRUE(client.read_end());
  }
};

TEST_F(WebsocketTest, DeliversAsCreditAllows) {
  TestClient client = open();
  for (std::uint64_t i = 1; i <= 3; ++i) broker_.deliver(i, fmt::format("{{\"n\":{}}}", i), i == 2);
  client.send_frame(kText, R"({"type":"credit","count":2})");
  EXPECT_EQ(client.read_frame().payload, R"({"type":"event","number":1,"event":{"n":1}})");
  EXPECT_EQ(client.read_frame().payload,
            R"({"type":"event","number":2,"redelivered":true,"event":{"n":2}})");
  EXPECT_EQ(broker_.total_credit(), 2U);
  client.send_frame(kText, R"({"type":"ack","number":2})");
  EXPECT_EQ(client.read_frame().payload, R"({"type":"acknowledged","number":2})");
  client.send_frame(kText, R"({"type":"credit","count":1})");
  EXPECT_EQ(client.read_frame().payload, R"({"type":"event","number":3,"event":{"n":3}})");
}

TEST_F(WebsocketTest, BoundsEndlessCredit) {
  TestClient client = open("/stream");
  client.send_frame(kText, R"({"type":"credit","count":18446744073709551615})");
  client.send_frame(kText, R"({"type":"credit","count":18446744073709551615})");
  for (std::uint64_t i = 1; i <= 1000; ++i) broker_.deliver(i, "{}");
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    ASSERT_EQ(client.read_frame().payload,
              fmt::format(R"({{"type":"event","number":{},"event":{{}}}})", i));
  }
  EXPECT_LE(broker_.credit_max(), 256U);
}

TEST_F(WebsocketTest, NamesThePlaceOfAMistakeAndCloses) {
  TestClient client = open();
  client.send_frame(kText, R"({"type":"credits"})");
  expect_refusal(client, R"("name":"websocket.protocol","position":{"line":1,"column":9)", 1008);
}

TEST_F(WebsocketTest, RefusesWhatIsNoMessage) {
  TestClient not_json = open();
  not_json.send_frame(kText, "nonsense");
  expect_refusal(not_json, R"("name":"json.syntax")", 1008);
  TestClient bytes = open();
  bytes.send_frame(kBinary, "{}");
  expect_refusal(bytes, "expected text, not bytes", 1008);
}

TEST_F(WebsocketTest, ClosesAsTheRfcSays) {
  TestClient large = open();
  large.send_frame(kText, std::string(2000, ' '));
  EXPECT_EQ(large.read_frame().close_code(), 1009U);
  TestClient not_utf8 = open();
  not_utf8.send_frame(kText, "\xFF");
  EXPECT_EQ(not_utf8.read_frame().close_code(), 1007U);
  TestClient polite = open();
  polite.send_frame(kPing, "hello");
  const TestFrame pong = polite.read_frame();
  EXPECT_EQ(pong.opcode, kPong);
  EXPECT_EQ(pong.payload, "hello");
  polite.send_frame(kClose, "\x03\xE8");
  EXPECT_EQ(polite.read_frame().close_code(), 1000U);
  EXPECT_TRUE(broker_.wait_until_closed());
  EXPECT_EQ(metric(R"(weir_limit_hits_total{limit="websocket_message_bytes_max"})"), "1");
}

TEST_F(WebsocketTest, TellsWhatTheBrokerSays) {
  TestClient greedy = open();
  greedy.send_frame(kText, R"({"type":"ack","number":99})");
  expect_refusal(greedy, R"("name":"broker.acknowledge")", 1008);
  TestClient ended = open();
  broker_.deliver(1, "{}");
  broker_.end_session({base::ErrorId::kBrokerEnded, "deleted", {}});
  expect_refusal(ended, R"("name":"broker.ended")", 1008);
}

TEST_F(WebsocketTest, AnswersABadHandshakeAsHttp) {
  TestClient client = connect();
  EXPECT_THAT(client.upgrade("/stream", "", "").body, HasSubstr("websocket.subprotocol"));
  EXPECT_EQ(client.upgrade("/stream", "", "mqtt").status, 400U);
  EXPECT_EQ(client.upgrade("/subscriptions/none/events").status, 404U);
  EXPECT_EQ(client.upgrade("/stream?filter=%3D").status, 400U);
  EXPECT_EQ(client.upgrade("/stream", "Origin: https://evil.example\r\n").status, 403U);
  EXPECT_EQ(client.upgrade("/stream", "Origin: http://localhost\r\n").status, 101U);
}

TEST_F(WebsocketTest, IgnoresOtherUpgrades) {
  TestClient client = connect();
  EXPECT_EQ(client.request("GET", "/healthz", "Connection: Upgrade\r\nUpgrade: h2c\r\n").status,
            200U);
}

TEST_F(WebsocketTest, ClosesTheSessionWhenThePeerGoes) {
  {
    const TestClient client = open();
  }
  EXPECT_TRUE(broker_.wait_until_closed());
}

TEST_F(WebsocketTest, SaysGoodbyeWhenItStops) {
  TestClient client = open();
  std::thread stopping([&] { server_->stop(std::chrono::seconds(10)); });
  expect_refusal(client, R"("name":"broker.stopping")", 1001);
  stopping.join();
}

class SilentWebsocketTest : public ServerTest {
 protected:
  SilentWebsocketTest() {
    ServerOptions options = quick_options();
    options.websocket_ping_interval = std::chrono::milliseconds(30);
    start(std::move(options));
  }
};

TEST_F(SilentWebsocketTest, IsPingedAndCut) {
  TestClient client = connect();
  EXPECT_EQ(client.upgrade("/stream").status, 101U);
  EXPECT_EQ(client.read_frame(true).opcode, kText);
  EXPECT_EQ(client.read_frame(true).opcode, kPing);
  EXPECT_TRUE(client.read_end());
  EXPECT_TRUE(broker_.wait_until_closed());
  EXPECT_EQ(metric(R"(weir_limit_hits_total{limit="websocket_ping_interval"})"), "1");
}

}  // namespace
}  // namespace weir::server
