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

  static constexpr const char* kWantsStream = "Accept: text/event-stream\r\n";

  TestClient open(std::string_view target, std::string_view fields = "") {
    TestClient client = connect();
    client.send(request_bytes("GET", target, fmt::format("{}{}", kWantsStream, fields)));
    const TestAnswer head = client.read_head();
    EXPECT_EQ(head.status, 200U);
    EXPECT_EQ(head.field("content-type"), "text/event-stream");
    EXPECT_EQ(client.read_until("\n\n"), "retry: 1000\n\n");
    return client;
  }
};

TEST_F(SseStreamTest, SendsDeliveries) {
  TestClient client = open("/subscriptions/a/events");
  EXPECT_EQ(broker_.attached_with(), "");
  broker_.deliver(1, "{\"id\":\n\"1\"}");
  EXPECT_EQ(client.read_until("\n\n"), "id: 1@12\ndata: {\"id\":\ndata: \"1\"}\n\n");
  broker_.deliver(2, "{}", true);
  EXPECT_EQ(client.read_until("\n\n"), ": redelivered\nid: 2@12\ndata: {}\n\n");
  broker::Dispatch group;
  group.number = 3;
  group.is_group = true;
  group.events = {{nullptr, "{}"}, {nullptr, "{}"}};
  broker_.deliver(group);
  EXPECT_EQ(client.read_until("\n\n"), "event: group\nid: 3@12\ndata: [{},{}]\n\n");
}

TEST_F(SseStreamTest, ResumesAfterTheLastEvent) {
  const TestClient by_header = open("/subscriptions/a/events", "Last-Event-ID: 17@12\r\n");
  EXPECT_EQ(broker_.attached_with(), "17@12");
  const TestClient by_query = open("/subscriptions/a/events?last_event_id=18");
  EXPECT_EQ(broker_.attached_with(), "18") << "a number in the address is meant so";
  const TestClient by_id = open("/subscriptions/a/events?last_event_id=18%4012");
  EXPECT_EQ(broker_.attached_with(), "18@12");
  const TestClient by_both =
      open("/subscriptions/a/events?last_event_id=18", "Last-Event-ID: 19@12\r\n");
  EXPECT_EQ(broker_.attached_with(), "19@12");
  TestClient client = connect();
  EXPECT_EQ(client
                .request("GET", "/subscriptions/a/events",
                         fmt::format("{}Last-Event-ID: x\r\n", kWantsStream))
                .status,
            400U);
}

TEST_F(SseStreamTest, AnImageOfAnotherSiteAcknowledgesNothing) {
  constexpr const char* kTarget = "/subscriptions/a/events?last_event_id=20";
  const TestClient before = open("/subscriptions/a/events?last_event_id=5");
  const auto refused = [&](std::string_view fields) {
    TestClient client = connect();
    const TestAnswer answer = client.request("GET", kTarget, fields);
    EXPECT_EQ(broker_.attached_with(), "5") << "still as before: " << fields;
    return fmt::format("{} {}", answer.status, answer.body);
  };
  const char* const image = "Accept: image/avif,image/webp,*/*;q=0.8\r\n";
  EXPECT_THAT(refused(image), HasSubstr(R"("name":"http.accept")"));
  EXPECT_THAT(refused(image), HasSubstr("406 {"));
  EXPECT_THAT(refused("Accept: */*\r\n"), HasSubstr("expected the header 'Accept: text/event-"));
  EXPECT_THAT(refused(""), HasSubstr("406 {"));
  for (const char* const site : {"cross-site", "same-site"}) {
    const auto fields = [site](std::string_view accept) {
      return fmt::format("Sec-Fetch-Site: {}\r\n{}", site, accept);
    };
    EXPECT_THAT(refused(fields(image)), HasSubstr(R"("name":"http.cross_site")"));
    EXPECT_THAT(refused(fields(kWantsStream)), HasSubstr("403 {"));
  }
  EXPECT_THAT(refused(fmt::format("{}Origin: https://evil.example\r\n", kWantsStream)),
              HasSubstr(R"("name":"http.cross_site")"));
  const TestClient own_page = open(kTarget, "Sec-Fetch-Site: same-origin\r\n");
  EXPECT_EQ(broker_.attached_with(), "20");
  broker_.add_token("good", {});
  TestClient with_token = connect();
  with_token.send(request_bytes("GET", kTarget, "Authorization: Bearer good\r\n"));
  EXPECT_EQ(with_token.read_head().status, 200U) << "a foreign page has no token";
}

TEST_F(SseStreamTest, TellsInTheStreamThatTheLastEventIsUnknown) {
  broker_.set_last_number(16);
  const auto expect_notice = [&](std::string_view target, std::string_view fields) {
    TestClient client = open(target, fields);
    const std::string notice = client.read_until("\n\n");
    EXPECT_TRUE(notice.starts_with("event: notice\nid:\ndata: {")) << notice;
    EXPECT_THAT(notice, HasSubstr("that delivery was never sent; the stream begins with the oldest "
                                  "delivery not acknowledged"));
    EXPECT_THAT(notice, HasSubstr(R"("name":"broker.acknowledge")"));
    EXPECT_EQ(broker_.attached_with(), "");
    broker_.deliver(1, "{}");
    EXPECT_EQ(client.read_until("\n\n"), "id: 1@12\ndata: {}\n\n");
  };
  expect_notice("/subscriptions/a/events", "Last-Event-ID: 17@12\r\n");
  expect_notice("/subscriptions/a/events?last_event_id=18", "");
  expect_notice("/subscriptions/a/events", "Last-Event-ID: 3@11\r\n");
  expect_notice("/subscriptions/a/events?last_event_id=3@11", "");
  expect_notice("/subscriptions/a/events", "Last-Event-ID: 3\r\n");
  const TestClient known = open("/subscriptions/a/events", "Last-Event-ID: 16@12\r\n");
  EXPECT_EQ(broker_.attached_with(), "16@12");
  TestClient websocket = connect();
  EXPECT_EQ(websocket.upgrade("/subscriptions/a/events?last_event_id=17").status, 400U);
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
  EXPECT_EQ(client.request("GET", "/subscriptions/none/events", kWantsStream).status, 404U);
  EXPECT_EQ(client.request("GET", "/stream", "Accept: image/png\r\n").status, 406U);
  EXPECT_EQ(client.request("HEAD", "/stream").status, 405U);
}

TEST_F(SseStreamTest, TellsWhichParameterOfAStreamIsWrong) {
  TestClient client = connect();
  const auto detail = [&](std::string_view query) {
    const TestAnswer answer = client.request("GET", fmt::format("/stream?{}", query));
    EXPECT_EQ(answer.status, 400U) << query;
    EXPECT_THAT(answer.body, HasSubstr(R"("name":"http.parameter")")) << query;
    EXPECT_THAT(answer.body, testing::Not(HasSubstr("position"))) << query;
    return answer.body;
  };
  const std::size_t outbox_max = broker_.options().definition.outbox_count_max;
  const std::string limit =
      fmt::format("expected a number from 1 to {} as query parameter 'limit'", outbox_max);
  EXPECT_THAT(detail("limit=0"), HasSubstr(limit));
  EXPECT_THAT(detail("limit="), HasSubstr("as query parameter 'limit'"));
  EXPECT_THAT(detail(fmt::format("limit={}", outbox_max + 1)), HasSubstr(limit));
  EXPECT_THAT(detail("filter="), HasSubstr("expected a filter as query parameter 'filter'"));
  EXPECT_THAT(detail("filter=&limit=3"), HasSubstr("query parameter 'filter'"));
  EXPECT_THAT(detail("outbox=block"), HasSubstr("drop_oldest or conflate"));
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
