// SPDX-License-Identifier: Apache-2.0
// /subscriptions and the resources about the server itself, over real sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "event/json_document.h"
#include "server/router.h"
#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;

class SubscriptionsTest : public ServerTest {
 protected:
  SubscriptionsTest() { start(); }
};

TEST_F(SubscriptionsTest, AreCreatedReadAndDeleted) {
  TestClient client = connect();
  const TestAnswer created = client.request("POST", "/subscriptions", "",
                                            R"({"id":"a","filters":[{"weir":"type = 'q'"}]})");
  EXPECT_EQ(created.status, 201U) << created.body;
  EXPECT_EQ(created.field("location"), "/subscriptions/a");
  EXPECT_TRUE(created.body.starts_with(R"({"id":"a","filters":[)")) << created.body;
  EXPECT_THAT(created.body, HasSubstr(R"("owner":"","created":"2023-11-14T22:13:20.5Z","status":{)"
                                      R"("deliveries":0,"pending":0,"acknowledged":0,"dropped":0,)"
                                      R"("expired":0,"conflated":0,"dead_letters":0,"withheld":0,)"
                                      R"("settled_through":0,"dead_letters_kept":0,)"
                                      R"("delivered":0,"redelivered":0,)"
                                      R"("connected":false,"trouble":""}})"));
  EXPECT_EQ(client.request("POST", "/subscriptions", "", R"({"id":"a"})").status, 409U);
  const TestAnswer read = client.request("GET", "/subscriptions/a");
  EXPECT_EQ(read.status, 200U);
  EXPECT_EQ(read.body, created.body);
  EXPECT_EQ(client.request("DELETE", "/subscriptions/a").status, 204U);
  EXPECT_EQ(client.request("DELETE", "/subscriptions/a").status, 404U);
  EXPECT_EQ(client.request("GET", "/subscriptions/a").status, 404U);
}

TEST_F(SubscriptionsTest, ArePutInPlace) {
  TestClient client = connect();
  EXPECT_EQ(client.request("PUT", "/subscriptions/b", "", "{}").status, 201U);
  EXPECT_EQ(client.request("PUT", "/subscriptions/b", "", "{}").status, 200U);
}

TEST_F(SubscriptionsTest, NeedASinkThatMayBeReached) {
  TestClient client = connect();
  const auto put = [&](std::string_view sink) {
    return client.request("PUT", "/subscriptions/s", "", fmt::format(R"({{"sink":"{}"}})", sink));
  };
  for (const std::string_view sink : {"http://", "http://127.0.0.1/", "http://169.254.169.254/",
                                      "https://me:secret@example.com/", "http://[::1]/"}) {
    const TestAnswer answer = put(sink);
    EXPECT_EQ(answer.status, 400U) << sink;
    EXPECT_THAT(answer.body, HasSubstr(R"("name":"broker.sink")"));
    EXPECT_EQ(client.request("POST", "/subscriptions", "", fmt::format(R"({{"sink":"{}"}})", sink))
                  .status,
              400U);
  }
  EXPECT_EQ(client.request("GET", "/subscriptions/s").status, 404U);
  EXPECT_EQ(put("https://example.com/hook").status, 201U);
}

TEST_F(SubscriptionsTest, AreListedInPages) {
  for (const char* const id : {"a", "b", "c"}) subscribe(id);
  TestClient client = connect();
  const TestAnswer first = client.request("GET", "/subscriptions?limit=2");
  EXPECT_TRUE(first.body.ends_with(R"(],"next":"b"})")) << first.body;
  const TestAnswer second = client.request("GET", "/subscriptions?limit=2&after=b");
  EXPECT_TRUE(second.body.starts_with(R"({"subscriptions":[{"id":"c")")) << second.body;
  EXPECT_TRUE(second.body.ends_with("}]}"));
  EXPECT_EQ(client.request("GET", "/subscriptions?limit=0").status, 400U);
  EXPECT_EQ(client.request("GET", "/subscriptions?page=1").status, 400U);
}

TEST_F(SubscriptionsTest, RefuseDocumentsWithThePlace) {
  TestClient client = connect();
  const TestAnswer bad =
      client.request("POST", "/subscriptions", "", R"({"filters":[{"weir":"type ="}]})");
  EXPECT_EQ(bad.status, 400U);
  EXPECT_THAT(bad.body, HasSubstr(R"("position":{)"));
  EXPECT_EQ(client.request("POST", "/subscriptions", "", "nonsense").status, 400U);
  EXPECT_EQ(client.request("POST", "/subscriptions", "Content-Type: text/plain\r\n", "{}").status,
            415U);
}

TEST_F(SubscriptionsTest, AreAcknowledged) {
  subscribe("a");
  TestClient client = connect();
  EXPECT_EQ(client.request("POST", "/subscriptions/a/ack", "", R"({"upto":7})").status, 204U);
  EXPECT_EQ(client.request("POST", "/subscriptions/a/ack", "", R"({"upto":101})").status, 400U);
  EXPECT_EQ(client.request("POST", "/subscriptions/a/ack", "", R"({"upto":"7@12"})").status, 204U);
  EXPECT_EQ(client.request("POST", "/subscriptions/a/ack", "", R"({"upto":"7@11"})").status, 400U);
  EXPECT_EQ(client.request("POST", "/subscriptions/x/ack", "", R"({"upto":7})").status, 404U);
  for (const char* const bad :
       {"{}", "7", R"({"upto":-1})", R"({"upto":"7"})", R"({"upto":7,"x":1})", "{"}) {
    EXPECT_EQ(client.request("POST", "/subscriptions/a/ack", "", bad).status, 400U) << bad;
  }
}

TEST_F(SubscriptionsTest, ShowDeadLetters) {
  subscribe("a");
  broker_.add_dead_letter({.delivery = 3, .at = {0}, .reason = "410 \"Gone\"", .events = "[{}]"});
  broker_.add_dead_letter({.delivery = 5, .at = {0}, .reason = "x", .events = "[[{},{}]]"});
  TestClient client = connect();
  EXPECT_EQ(client.request("GET", "/subscriptions/a/dead-letters?limit=1").body,
            R"({"dead_letters":[{"number":3,"at":"1970-01-01T00:00:00Z","reason":"410 \"Gone\"",)"
            R"("events":[{}]}],"next":3})");
  EXPECT_EQ(client.request("GET", "/subscriptions/a/dead-letters?after=3").body,
            R"({"dead_letters":[{"number":5,"at":"1970-01-01T00:00:00Z","reason":"x",)"
            R"("events":[{},{}]}]})");
  EXPECT_EQ(client.request("GET", "/subscriptions/x/dead-letters").status, 404U);
  EXPECT_EQ(client.request("GET", "/subscriptions/a/dead-letters?after=b").status, 400U);
  const std::string letters = "/subscriptions/a/dead-letters";
  EXPECT_EQ(client.request("POST", letters + "/resend").body, R"({"resent":2,"left":7})");
  EXPECT_EQ(client.request("POST", letters + "/5/resend").body, R"({"resent":1,"left":7})");
  EXPECT_EQ(client.request("DELETE", letters).body, R"({"purged":2,"left":7})");
  EXPECT_EQ(client.request("DELETE", letters + "/3").body, R"({"purged":1,"left":7})");
  EXPECT_EQ(client.request("DELETE", letters + "/4").status, 404U);
  EXPECT_EQ(client.request("POST", letters + "/x/resend").status, 404U);
  EXPECT_EQ(client.request("GET", letters + "/3").status, 405U);
  EXPECT_EQ(client.request("POST", "/subscriptions/x/dead-letters/resend").status, 404U);
}

TEST_F(SubscriptionsTest, APageOfLargeDeadLettersTellsWhereTheNextOneBegins) {
  subscribe("a");
  const std::string large(broker::kLetterPageBytesMax, 'x');
  broker_.add_dead_letter(
      {.delivery = 3, .at = {0}, .reason = "", .events = "[\"" + large + "\"]"});
  TestClient client = connect();
  EXPECT_TRUE(client.request("GET", "/subscriptions/a/dead-letters").body.ends_with(R"("next":3})"))
      << "the broker gives no more at once";
  EXPECT_EQ(client.request("GET", "/subscriptions/a/dead-letters?after=3").body,
            R"({"dead_letters":[]})");
}

using ServiceTest = SubscriptionsTest;

TEST_F(ServiceTest, TellsHowItIs) {
  TestClient client = connect();
  EXPECT_EQ(client.request("GET", "/healthz").status, 200U);
  EXPECT_EQ(client.request("GET", "/readyz").status, 200U);
  broker_.set_trouble(base::Error{base::ErrorId::kStoreFull, "no space left", {}});
  const TestAnswer troubled = client.request("GET", "/readyz");
  EXPECT_EQ(troubled.status, 503U);
  EXPECT_THAT(troubled.body, HasSubstr("no space left"));
  EXPECT_EQ(client.request("GET", "/healthz").status, 200U);
}

TEST_F(ServiceTest, DescribesItself) {
  TestClient client = connect();
  const TestAnswer index = client.request("GET", "/");
  EXPECT_TRUE(event::JsonDocument::parse(index.body).has_value());
  for (const Route& route : routes()) EXPECT_THAT(index.body, HasSubstr(route.pattern));
  const TestAnswer openapi = client.request("GET", "/openapi.json");
  EXPECT_EQ(openapi.status, 200U);
  EXPECT_TRUE(event::JsonDocument::parse(openapi.body).has_value());
}

TEST_F(ServiceTest, CountsWhatItAnswers) {
  TestClient client = connect();
  client.request("POST", "/events", kStructured, event_json("1"));
  client.request("GET", "/nowhere");
  EXPECT_EQ(metric(R"(weir_http_requests_total{route="/events",status="202"})"), "1");
  EXPECT_EQ(metric(R"(weir_http_requests_total{route="none",status="404"})"), "1");
  EXPECT_EQ(metric("weir_events_accepted_total"), "1");
  EXPECT_NE(metric("weir_http_request_seconds_count"), "");
  EXPECT_EQ(metric(R"(weir_limit_hits_total{limit="body_bytes_max"})"), "0");
}

TEST_F(ServiceTest, KnowsHeadAndOptions) {
  TestClient client = connect();
  client.send(request_bytes("HEAD", "/healthz"));
  const TestAnswer head = client.read_head();
  EXPECT_EQ(head.status, 200U);
  EXPECT_EQ(head.field("content-length"), "19");
  const TestAnswer options = client.request("OPTIONS", "/subscriptions");
  EXPECT_EQ(options.status, 204U);
  EXPECT_EQ(options.field("allow"), "GET, HEAD, POST, OPTIONS");
  const TestAnswer wrong = client.request("DELETE", "/events");
  EXPECT_EQ(wrong.status, 405U);
  EXPECT_EQ(wrong.field("allow"), "POST, OPTIONS");
  EXPECT_EQ(client.request("GET", "/events/1").status, 404U);
}

TEST_F(ServiceTest, AllowsOtherBrokersToPostTheirEvents) {
  TestClient client = connect();
  const TestAnswer granted =
      client.request("OPTIONS", "/events",
                     "WebHook-Request-Origin: weir.example\r\nWebHook-Request-Rate: 120\r\n");
  EXPECT_EQ(granted.status, 200U);
  EXPECT_EQ(granted.field("allow"), "POST, OPTIONS");
  EXPECT_EQ(granted.field("webhook-allowed-origin"), "weir.example");
  EXPECT_EQ(granted.field("webhook-allowed-rate"), "*");
  const TestAnswer plain = client.request("OPTIONS", "/events");
  EXPECT_EQ(plain.status, 204U);
  EXPECT_EQ(plain.field("webhook-allowed-origin"), "");
  const TestAnswer elsewhere =
      client.request("OPTIONS", "/subscriptions", "WebHook-Request-Origin: weir.example\r\n");
  EXPECT_EQ(elsewhere.status, 204U);
  EXPECT_EQ(elsewhere.field("webhook-allowed-origin"), "");
  const TestAnswer stranger =
      client.request("OPTIONS", "/events",
                     "WebHook-Request-Origin: weir.example\r\nAuthorization: Bearer nobody\r\n");
  EXPECT_EQ(stranger.status, 401U);
}

}  // namespace
}  // namespace weir::server
