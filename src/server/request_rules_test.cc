// SPDX-License-Identifier: Apache-2.0
// What the header of a request says before its body is read: its target, encodings, and what the
// client accepts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;

class RequestRulesTest : public ServerTest {
 protected:
  RequestRulesTest() {
    start();
    subscribe("a");
  }

  TestAnswer answer_to(std::string_view bytes) {
    TestClient client = connect();
    client.send(bytes);
    return client.read_answer();
  }
  TestAnswer get(std::string_view target, std::string_view host = "localhost") {
    return answer_to(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", target, host));
  }
};

TEST_F(RequestRulesTest, ATargetMayBeAWholeAddress) {
  for (const char* const target :
       {"http://localhost/healthz", "http://localhost:8080/healthz", "HTTP://LOCALHOST/healthz",
        "https://localhost/healthz", "http://[::1]:8080/healthz"}) {
    const TestAnswer answer = get(target);
    EXPECT_EQ(answer.status, 200U) << target;
    EXPECT_THAT(answer.body, HasSubstr("alive")) << target;
  }
  EXPECT_THAT(get("http://localhost").body, HasSubstr("\"name\":\"weir\""));
  EXPECT_THAT(get("http://localhost?filter=x").body, HasSubstr("no query parameter 'filter'"));
  EXPECT_THAT(get("http://localhost/subscriptions/a").body, HasSubstr("\"id\":\"a\""));
  EXPECT_THAT(get("http://localhost/subscriptions?limit=0").body, HasSubstr("http.parameter"));
  const TestAnswer posted = answer_to(
      request_bytes("POST", "http://127.0.0.1:8080/events", kStructured, event_json("1")));
  EXPECT_EQ(posted.status, 202U);
}

TEST_F(RequestRulesTest, TheHostOfTheTargetCounts) {
  EXPECT_EQ(get("http://localhost/subscriptions", "evil.example").status, 200U);
  EXPECT_EQ(get("http://evil.example/subscriptions", "localhost").status, 401U);
  EXPECT_EQ(get("https://evil.example:8080/subscriptions").status, 401U);
  EXPECT_EQ(answer_to("GET http://evil.example/subscriptions HTTP/1.0\r\n\r\n").status, 401U);
  EXPECT_EQ(answer_to("GET http://localhost/subscriptions HTTP/1.0\r\n\r\n").status, 200U);
  const auto with_origin = [&](std::string_view target) {
    return answer_to(fmt::format("GET {} HTTP/1.1\r\nHost: localhost:1\r\nOrigin: "
                                 "http://localhost:1\r\n\r\n",
                                 target))
        .status;
  };
  EXPECT_EQ(with_origin("http://localhost:1/subscriptions"), 200U);
  EXPECT_EQ(with_origin("http://localhost:2/subscriptions"), 403U);
}

TEST_F(RequestRulesTest, AWholeAddressMustBeWellFormed) {
  for (const char* const target : {"http:///healthz", "http://", "http://user@localhost/healthz",
                                   "http://:8080/healthz", "https://?x"}) {
    EXPECT_EQ(get(target).status, 400U) << target;
  }
  EXPECT_EQ(get("ftp://localhost/healthz").status, 404U);
  EXPECT_EQ(answer_to("GET http://localhost/healthz HTTP/1.1\r\n\r\n").status, 400U)
      << "Host is needed all the same";
}

TEST_F(RequestRulesTest, EncodedBodiesAreNotRead) {
  TestClient client = connect();
  const TestAnswer answer = client.request(
      "POST", "/events", std::string(kStructured) + "Content-Encoding: gzip\r\n", event_json("1"));
  EXPECT_EQ(answer.status, 415U);
  EXPECT_EQ(answer.field("accept-encoding"), "identity");
  EXPECT_THAT(answer.body, HasSubstr(R"("name":"http.encoding")"));
  TestClient put = connect();
  EXPECT_EQ(put.request("PUT", "/subscriptions/b", "Content-Encoding: br\r\n", "{}").status, 415U);
  TestClient plain = connect();
  EXPECT_EQ(
      plain
          .request("POST", "/events", std::string(kStructured) + "Content-Encoding: identity\r\n",
                   event_json("1"))
          .status,
      202U);
  TestClient waiting = connect();
  waiting.send(
      "POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n"
      "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(waiting.read_answer().status, 415U) << "before the body";
}

TEST_F(RequestRulesTest, AnswersAreOfTheTypeThatIsAccepted) {
  const auto status_of = [&](std::string_view method, std::string_view target,
                             std::string_view accept) {
    TestClient client = connect();
    return client.request(method, target, fmt::format("Accept: {}\r\n", accept)).status;
  };
  for (const char* const target : {"/", "/healthz", "/readyz", "/openapi.json", "/subscriptions",
                                   "/subscriptions/a", "/subscriptions/a/dead-letters"}) {
    EXPECT_EQ(status_of("GET", target, "application/json"), 200U) << target;
    EXPECT_EQ(status_of("GET", target, "text/html, */*;q=0.1"), 200U) << target;
    EXPECT_EQ(status_of("GET", target, "text/html"), 406U) << target;
    EXPECT_EQ(status_of("HEAD", target, "application/json;q=0, text/html"), 406U) << target;
  }
  EXPECT_EQ(status_of("GET", "/metrics", "text/plain;version=0.0.4"), 200U);
  EXPECT_EQ(status_of("GET", "/metrics", "application/json"), 406U);
  EXPECT_EQ(status_of("GET", "/stream", "application/json"), 406U);
  EXPECT_EQ(status_of("GET", "/subscriptions/a/events", "text/event-stream;q=0"), 406U);
  EXPECT_EQ(status_of("OPTIONS", "/events", "text/html"), 204U);
  EXPECT_EQ(status_of("DELETE", "/subscriptions/a", "text/html"), 204U) << "has no body";
  TestClient client = connect();
  const TestAnswer refused = client.request(
      "POST", "/events", std::string(kStructured) + "Accept: image/png\r\n", event_json("1"));
  EXPECT_EQ(refused.status, 406U);
  EXPECT_EQ(refused.field("content-type"), "application/problem+json");
  EXPECT_THAT(refused.body, HasSubstr("the answer is application/json"));
  EXPECT_EQ(broker_.stats().accepted, 0U);
}

}  // namespace
}  // namespace weir::server
