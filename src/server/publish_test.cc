// SPDX-License-Identifier: Apache-2.0
// POST /events over real sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;

class PublishTest : public ServerTest {
 protected:
  PublishTest() { start(); }
};

TEST_F(PublishTest, TakesAStructuredEvent) {
  TestClient client = connect();
  const TestAnswer first = client.request("POST", "/events", kStructured, event_json("1"));
  EXPECT_EQ(first.status, 202U);
  EXPECT_EQ(first.body, R"({"status":"accepted","sequence":1})");
  EXPECT_EQ(first.field("content-type"), "application/json");
  const TestAnswer again = client.request("POST", "/events", kStructured, event_json("1"));
  EXPECT_EQ(again.status, 200U);
  EXPECT_EQ(again.body, R"({"status":"duplicate"})");
}

TEST_F(PublishTest, TakesABinaryEvent) {
  TestClient client = connect();
  const TestAnswer answer =
      client.request("POST", "/events",
                     "ce-specversion: 1.0\r\nce-id: %E2%82%AC\r\nCe-Source: /s\r\nce-type: t\r\n"
                     "Content-Type: application/json\r\n",
                     "{\"x\":1}");
  EXPECT_EQ(answer.status, 202U) << answer.body;
  const TestAnswer empty = client.request(
      "POST", "/events",
      "ce-specversion: 1.0\r\nce-id: 2\r\nce-source: /s\r\nce-type: t\r\nContent-Length: 0\r\n");
  EXPECT_EQ(empty.status, 202U) << empty.body;
}

TEST_F(PublishTest, TakesABatchEventByEvent) {
  TestClient client = connect();
  const std::string body = fmt::format("[{},{},{{\"id\":\"x\"}},\n{{\"a\":1,\"a\":2}},{}]",
                                       event_json("1"), event_json("1"), event_json("2"));
  const TestAnswer answer = client.request("POST", "/events", kBatch, body);
  EXPECT_EQ(answer.status, 200U);
  EXPECT_THAT(answer.body, HasSubstr(R"({"accepted":2,"duplicates":1,"rejected":2,"results":[)"
                                     R"({"index":0,"status":"accepted","sequence":1},)"
                                     R"({"index":1,"status":"duplicate"},)"
                                     R"({"index":2,"status":"rejected","error":{)"));
  EXPECT_THAT(answer.body, HasSubstr(R"("name":"json.duplicate_member","position":{"line":2,)"));
  EXPECT_THAT(answer.body, HasSubstr(R"({"index":4,"status":"accepted","sequence":2}]})"));
  const TestAnswer none = client.request("POST", "/events", kBatch, "[]");
  EXPECT_EQ(none.status, 200U);
  EXPECT_EQ(none.body, R"({"accepted":0,"duplicates":0,"rejected":0,"results":[]})");
  EXPECT_EQ(client.request("POST", "/events", kBatch, "[{},7]").status, 400U);
  const TestAnswer broken = client.request("POST", "/events", kBatch, "[{}");
  EXPECT_EQ(broken.status, 400U);
  EXPECT_EQ(broken.field("content-type"), "application/problem+json");
}

TEST_F(PublishTest, NamesThePlaceOfAMistake) {
  TestClient client = connect();
  const TestAnswer answer = client.request("POST", "/events", kStructured, "{\"id\":\n?}");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_THAT(answer.body, HasSubstr(R"("name":"json.syntax","position":{"line":2,"column":1)"));
}

TEST_F(PublishTest, RefusesWhatIsNoEvent) {
  TestClient client = connect();
  const TestAnswer plain =
      client.request("POST", "/events", "Content-Type: application/json\r\n", "{}");
  EXPECT_EQ(plain.status, 400U);
  EXPECT_THAT(plain.body, HasSubstr("application/cloudevents+json"));
  EXPECT_EQ(client.request("POST", "/events", "Content-Type: application/cloudevents+xml\r\n", "x")
                .status,
            415U);
  EXPECT_EQ(client.request("POST", "/events", kStructured).status, 400U);
}

TEST_F(PublishTest, TranslatesWhatTheBrokerSays) {
  using base::ErrorId;
  TestClient client = connect();
  const auto status_of = [&](ErrorId id) {
    broker_.refuse_publishing(base::Error{id, "told so", {}});
    return client.request("POST", "/events", kStructured, event_json("1")).status;
  };
  EXPECT_EQ(status_of(ErrorId::kBrokerBusy), 429U);
  EXPECT_EQ(status_of(ErrorId::kBrokerOutboxFull), 429U);
  EXPECT_EQ(status_of(ErrorId::kStoreFull), 503U);
  EXPECT_EQ(status_of(ErrorId::kBrokerTooManyEvents), 413U);
  EXPECT_EQ(status_of(ErrorId::kBrokerForbidden), 403U);
}

TEST_F(PublishTest, TakesChunkedBodies) {
  TestClient client = connect();
  const std::string event = event_json("1");
  client.send(
      fmt::format("POST /events HTTP/1.1\r\nHost: localhost\r\n{}Transfer-Encoding: chunked\r\n\r\n"
                  "{:x}\r\n{}\r\n{:x};ext=1\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n",
                  kStructured, 10, event.substr(0, 10), event.size() - 10, event.substr(10)));
  EXPECT_EQ(client.read_answer().status, 202U);
  EXPECT_EQ(client.request("GET", "/healthz").status, 200U);
}

TEST_F(PublishTest, AnswersPipelinedRequestsInOrder) {
  TestClient client = connect();
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += request_bytes("POST", "/events", kStructured, event_json(fmt::to_string(i)));
  }
  client.send(requests);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.read_answer().body,
              fmt::format(R"({{"status":"accepted","sequence":{}}})", i + 1));
  }
}

TEST_F(PublishTest, TakesARequestByteByByte) {
  TestClient client = connect();
  for (const char c : request_bytes("POST", "/events", kStructured, event_json("1"))) {
    client.send(std::string_view(&c, 1));
  }
  EXPECT_EQ(client.read_answer().status, 202U);
}

TEST_F(PublishTest, SaysContinueBeforeTheBody) {
  TestClient client = connect();
  const std::string body = event_json("1");
  client.send(request_bytes(
      "POST", "/events",
      fmt::format("{}Expect: 100-continue\r\nContent-Length: {}\r\n", kStructured, body.size())));
  EXPECT_EQ(client.read_head().status, 100U);
  client.send(body);
  EXPECT_EQ(client.read_answer().status, 202U);
}

}  // namespace
}  // namespace weir::server
