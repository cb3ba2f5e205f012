// SPDX-License-Identifier: Apache-2.0
// Streams of server-sent events over real sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;

class SseStreamTest : public ServerTest {
 protected:
  SseStreamTest() {
    start();
    subscribe("a");
  }

  TestClient open(std::string_view target, std::string_view fields = "") {
    TestClient client = connect();
    client.send(request_bytes("GET", target, fields));
    const TestAnswer head = client.read_head();
    EXPECT_EQ(head.status, 200U);
    EXPECT_EQ(head.field("content-type"), "text/event-stream");
    EXPECT_EQ(client.read_until("\n\n"), "retry: 1000\n\n");
    return client;
  }
};

TEST_F(SseStreamTest, SendsDeliveries) {
  TestClient client = open("/subscriptions/a/events", "Accept: text/event-stream\r\n");
  EXPECT_EQ(broker_.attached_with(), std::nullopt);
  broker_.deliver(1, "{\"id\":\n\"1\"}");
  EXPECT_EQ(client.read_until("\n\n"), "id: 1\ndata: {\"id\":\ndata: \"1\"}\n\n");
  broker_.deliver(2, "{}", true);
  EXPECT_EQ(client.read_until("\n\n"), ": redelivered\nid: 2\ndata: {}\n\n");
  broker::Dispatch group;
  group.number = 3;
  group.events = {{nullptr, "{}"}, {nullptr, "{}"}};
  broker_.deliver(group);
  EXPECT_EQ(client.read_until("\n\n"), "event: group\nid: 3\ndata: [{},{}]\n\n");
}

TEST_F(SseStreamTest, ResumesAfterTheLastEvent) {
  const TestClient by_header = open("/subscriptions/a/events", "Last-Event-ID: 17\r\n");
  EXPECT_EQ(broker_.attached_with(), 17U);
  const TestClient by_query = open("/subscriptions/a/events?last_event_id=18");
  EXPECT_EQ(broker_.attached_with(), 18U);
  const TestClient by_both =
      open("/subscriptions/a/events?last_event_id=18", "Last-Event-ID: 19\r\n");
  EXPECT_EQ(broker_.attached_with(), 19U);
  TestClient client = connect();
  EXPECT_EQ(client.request("GET", "/subscriptions/a/events", "Last-Event-ID: x\r\n").status, 400U);
}

TEST_F(SseStreamTest, SendsEnvelopesIfAsked) {
  TestClient client = open("/stream?envelope=true&filter=type%20%3D%20'q'");
  broker_.deliver(1, "{}");
  EXPECT_EQ(client.read_until("\n\n"),
            "id: 1\ndata: {\"type\":\"event\",\"number\":1,\"event\":{}}\n\n");
}

TEST_F(SseStreamTest, AnswersMistakesBeforeItBegins) {
  TestClient client = connect();
  const TestAnswer filter = client.request("GET", "/stream?filter=type+%3D");
  EXPECT_EQ(filter.status, 400U);
  EXPECT_THAT(filter.body, HasSubstr(R"("position":{"line":1,"column":7)"));
  EXPECT_EQ(client.request("GET", "/stream?outbox=often").status, 400U);
  EXPECT_EQ(client.request("GET", "/stream?filtre=x").status, 400U);
  EXPECT_EQ(client.request("GET", "/stream?limit=x").status, 400U);
  EXPECT_EQ(client.request("GET", "/subscriptions/none/events").status, 404U);
  EXPECT_EQ(client.request("GET", "/stream", "Accept: image/png\r\n").status, 415U);
  EXPECT_EQ(client.request("HEAD", "/stream").status, 405U);
}

TEST_F(SseStreamTest, TakesAnOutboxForAStream) {
  const TestClient client = open("/stream?outbox=conflate&limit=10&filter=type%3D'q'");
}

TEST_F(SseStreamTest, TellsWhyItEnds) {
  TestClient client = open("/subscriptions/a/events");
  broker_.deliver(1, "{}");
  client.read_until("\n\n");
  broker_.end_session({base::ErrorId::kBrokerTaken, "another one came", {}});
  EXPECT_THAT(client.read_until("\n\n"), HasSubstr("event: error\ndata: {\"type\":"));
  EXPECT_TRUE(client.read_end());
}

TEST_F(SseStreamTest, ClosesTheSessionWhenThePeerGoes) {
  {
    TestClient client = open("/stream");
    broker_.deliver(1, "{}");
    client.read_until("\n\n");
  }
  EXPECT_TRUE(broker_.wait_until_closed());
}

TEST_F(SseStreamTest, SendsManyInOrder) {
  TestClient client = open("/stream");
  for (std::uint64_t i = 1; i <= 2000; ++i) broker_.deliver(i, fmt::format("{{\"n\":{}}}", i));
  for (std::uint64_t i = 1; i <= 2000; ++i) {
    ASSERT_EQ(client.read_until("\n\n"), fmt::format("id: {0}\ndata: {{\"n\":{0}}}\n\n", i));
  }
  EXPECT_LE(broker_.credit_max(), 256U);
}

TEST_F(SseStreamTest, HoldsNoMoreForASlowReaderThanItsWindow) {
  TestClient client = open("/stream");
  const std::string large(std::size_t{256} << 10U, 'x');
  for (std::uint64_t i = 1; i <= 200; ++i) broker_.deliver(i, "\"" + large + "\"");
  // The peer reads nothing: what it is given ends where sockets and window are full.
  EXPECT_LT(broker_.total_credit(), 150U);
  for (std::uint64_t i = 1; i <= 200; ++i) {
    ASSERT_TRUE(client.read_until("\n\n").starts_with(fmt::format("id: {}\n", i)));
  }
}

class ImpatientSseTest : public ServerTest {
 protected:
  ImpatientSseTest() {
    ServerOptions options = quick_options();
    options.sse_heartbeat = std::chrono::milliseconds(5);
    options.write_timeout = std::chrono::milliseconds(100);
    start(std::move(options));
  }
};

TEST_F(ImpatientSseTest, SendsHeartbeats) {
  TestClient client = connect();
  client.send(request_bytes("GET", "/stream"));
  client.read_until("retry: 1000\n\n");
  EXPECT_EQ(client.read_until("\n\n"), ":\n\n");
  EXPECT_EQ(client.read_until("\n\n"), ":\n\n");
}

TEST_F(ImpatientSseTest, CutsAReaderThatDoesNotRead) {
  TestClient client = connect();
  client.send(request_bytes("GET", "/stream"));
  client.read_until("retry: 1000\n\n");
  const std::string large(std::size_t{1} << 20U, 'x');
  for (std::uint64_t i = 1; i <= 100; ++i) broker_.deliver(i, "\"" + large + "\"");
  EXPECT_TRUE(broker_.wait_until_closed());
  EXPECT_EQ(metric(R"(weir_limit_hits_total{limit="write_timeout"})"), "1");
}

}  // namespace
}  // namespace weir::server
