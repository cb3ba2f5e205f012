// SPDX-License-Identifier: Apache-2.0
// /tokens and the transfer of subscriptions, over real sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>

#include "server/server_testing.h"

namespace weir::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDesk =
    R"({"name":"desk","grants":{"publish":[{"source":"/nyse/"}],"subscribe":[{}]}})";

class TokensTest : public ServerTest {
 protected:
  TokensTest() {
    start();
    client_.emplace(connect());
  }

  TestClient& client() { return *client_; }
  TestAnswer request(std::string_view method, std::string_view target, std::string_view body = "") {
    return client_->request(method, target, "", body);
  }

 private:
  std::optional<TestClient> client_;
};

TEST_F(TokensTest, AreCreatedReadListedAndRevoked) {
  const TestAnswer created = request("POST", "/tokens", kDesk);
  EXPECT_EQ(created.status, 201U) << created.body;
  EXPECT_EQ(created.field("location"), "/tokens/desk");
  EXPECT_EQ(created.field("cache-control"), "no-store");
  const std::string shown =
      R"({"name":"desk","grants":{"publish":[{"source":"/nyse/"}],"subscribe":[{}],)"
      R"("block":false,"admin":false},"created":"2023-11-14T22:13:20Z","revoked":false,)"
      R"("former_until":[]})";
  EXPECT_EQ(created.body, R"({"secret":"secret-desk-1","token":)" + shown + "}");
  EXPECT_EQ(request("GET", "/tokens/desk").body, shown);
  EXPECT_EQ(request("GET", "/tokens").body, R"({"tokens":[)" + shown + "]}");
  EXPECT_EQ(request("DELETE", "/tokens/desk").status, 204U);
  EXPECT_THAT(request("GET", "/tokens/desk").body, HasSubstr(R"("revoked":true)"));
  EXPECT_EQ(request("DELETE", "/tokens/nobody").status, 404U);
  EXPECT_EQ(request("GET", "/tokens/nobody").status, 404U);
}

TEST_F(TokensTest, AreRotatedWithAnOverlap) {
  ASSERT_EQ(request("POST", "/tokens", kDesk).status, 201U);
  const TestAnswer rotated = request("POST", "/tokens/desk/rotate", R"({"overlap":"10m"})");
  EXPECT_EQ(rotated.status, 200U) << rotated.body;
  EXPECT_EQ(rotated.field("cache-control"), "no-store");
  EXPECT_TRUE(rotated.body.starts_with(R"({"secret":"secret-desk-2",)")) << rotated.body;
  EXPECT_THAT(rotated.body, HasSubstr(R"("former_until":["2023-11-14T22:23:20Z"])"));
  EXPECT_EQ(request("POST", "/tokens/desk/rotate").status, 200U);
  EXPECT_EQ(broker_.token_admin().last_overlap(), base::Duration::seconds(24 * 3600));
  EXPECT_EQ(request("POST", "/tokens/desk/rotate", R"({"overlap":"0s"})").status, 200U);
  EXPECT_EQ(broker_.token_admin().last_overlap(), base::Duration{});
  EXPECT_EQ(request("POST", "/tokens/nobody/rotate").status, 404U);
  for (const char* const bad : {R"({"overlap":10})", R"({"overlap":"soon"})", R"({"over":"1s"})"}) {
    EXPECT_EQ(request("POST", "/tokens/desk/rotate", bad).status, 400U) << bad;
  }
}

TEST_F(TokensTest, ShowASecretOnceOnly) {
  ASSERT_EQ(request("POST", "/tokens", kDesk).status, 201U);
  ASSERT_EQ(request("POST", "/tokens/desk/rotate").status, 200U);
  EXPECT_THAT(request("GET", "/tokens").body, Not(HasSubstr("secret")));
  EXPECT_THAT(request("GET", "/tokens/desk").body, Not(HasSubstr("secret")));
}

TEST_F(TokensTest, ComeInPages) {
  for (const char* const name : {"a", "b", "c"}) {
    ASSERT_EQ(
        request("POST", "/tokens", fmt::format(R"({{"name":"{}","grants":{{}}}})", name)).status,
        201U);
  }
  EXPECT_THAT(request("GET", "/tokens?limit=2").body, HasSubstr(R"(],"next":"b"})"));
  EXPECT_THAT(request("GET", "/tokens?after=b").body,
              testing::StartsWith(R"({"tokens":[{"name":"c")"));
  EXPECT_EQ(request("GET", "/tokens?page=1").status, 400U);
}

TEST_F(TokensTest, RefuseBodiesWithThePlace) {
  const auto problem = [this](std::string_view body) {
    const TestAnswer answer = request("POST", "/tokens", body);
    EXPECT_EQ(answer.status, 400U) << body;
    return answer.body;
  };
  EXPECT_THAT(problem("{}"), HasSubstr("expected name to be a string"));
  EXPECT_THAT(problem(R"({"name":"a"})"), HasSubstr("expected grants"));
  EXPECT_THAT(problem(R"({"name":"a","grants":{},"grant":1})"),
              HasSubstr("there is no member 'grant'"));
  EXPECT_THAT(problem(R"({"name":"a","grants":{"pubish":[]}})"),
              HasSubstr(R"("position":{"line":1,"column":23,"offset":22})"));
  EXPECT_THAT(problem(R"({"name":"a","grants":{},"expires":"tomorrow"})"),
              HasSubstr("expected expires to be a time"));
  EXPECT_THAT(problem(R"({"name":"a","grants":{},"expires":"9999-01-01T00:00:00Z"})"),
              HasSubstr("expected expires to be a time"));
  EXPECT_THAT(problem("[]"), HasSubstr("expected an object"));
  EXPECT_EQ(client().request("POST", "/tokens", "Content-Type: text/plain\r\n", kDesk).status,
            415U);
  EXPECT_EQ(request("POST", "/tokens", R"({"name":"taken","grants":{}})").status, 409U);
  EXPECT_EQ(request("POST", "/tokens", R"({"name":"wide","grants":{}})").status, 403U);
}

TEST_F(TokensTest, AreForAnAdminOnly) {
  broker_.add_token("weir_user", {.publish = {{}}, .subscribe = {{}}});
  // One connection each: it ends when a body is refused before it is read.
  const auto status = [this](std::string_view method, std::string_view target,
                             std::string_view body) {
    return connect().request(method, target, "Authorization: Bearer weir_user\r\n", body).status;
  };
  EXPECT_EQ(status("GET", "/tokens", ""), 403U);
  EXPECT_EQ(status("POST", "/tokens", kDesk), 403U);
  EXPECT_EQ(status("GET", "/tokens/desk", ""), 403U);
  EXPECT_EQ(status("DELETE", "/tokens/desk", ""), 403U);
  EXPECT_EQ(status("POST", "/tokens/desk/rotate", ""), 403U);
  EXPECT_EQ(status("POST", "/tokens/desk/transfer", R"({"to":"a"})"), 403U);
  EXPECT_EQ(status("POST", "/subscriptions/s/owner", R"({"owner":"a"})"), 403U);
}

// A hash takes 60 ms: no other connection is to wait for it.
TEST_F(TokensTest, AreHashedWhereNoConnectionWaits) {
  ASSERT_EQ(request("POST", "/tokens", kDesk).status, 201U);
  const std::thread::id creator = broker_.token_admin().last_thread();
  broker_.hold_authentication(true);
  TestClient waiting = connect();
  waiting.send(request_bytes("GET", "/subscriptions", "Authorization: Bearer weir_new\r\n"));
  ASSERT_TRUE(broker_.wait_for_authentication(1));
  TestClient creating = connect();
  creating.send(request_bytes("POST", "/tokens", "", R"({"name":"late","grants":{}})"));
  EXPECT_EQ(request("GET", "/healthz").status, 200U) << "io threads are free";
  broker_.hold_authentication(false);
  EXPECT_EQ(waiting.read_answer().status, 401U);
  EXPECT_EQ(creating.read_answer().status, 201U);
  EXPECT_EQ(broker_.token_admin().last_thread(), creator) << "the one thread for what is slow";
}

TEST_F(TokensTest, ThatAreRevokedAreRefusedAtOnceOnAnOpenConnection) {
  broker_.add_token("weir_user", {.publish = {{}}, .subscribe = {{}}});
  const auto status = [this] {
    return client().request("GET", "/subscriptions", "Authorization: Bearer weir_user\r\n").status;
  };
  EXPECT_EQ(status(), 200U);
  broker_.forget_token("weir_user");
  EXPECT_EQ(status(), 401U);
}

TEST_F(TokensTest, TakeSubscriptionsOver) {
  subscribe("a");
  subscribe("b");
  const TestAnswer moved = request("POST", "/subscriptions/a/owner", R"({"owner":"desk"})");
  EXPECT_EQ(moved.status, 200U) << moved.body;
  EXPECT_THAT(moved.body, HasSubstr(R"("owner":"desk")"));
  EXPECT_THAT(request("GET", "/subscriptions/a").body, HasSubstr(R"("owner":"desk")"));
  EXPECT_THAT(request("GET", "/subscriptions/b").body, HasSubstr(R"("owner":"")"));
  EXPECT_EQ(request("POST", "/tokens/desk/transfer", R"({"to":"lead"})").body,
            R"({"transferred":1})");
  EXPECT_THAT(request("GET", "/subscriptions/a").body, HasSubstr(R"("owner":"lead")"));
  EXPECT_EQ(request("POST", "/subscriptions/x/owner", R"({"owner":"desk"})").status, 404U);
  EXPECT_EQ(request("POST", "/subscriptions/a/owner", R"({"owner":"nobody"})").status, 404U);
  EXPECT_EQ(request("POST", "/tokens/lead/transfer", R"({"to":"nobody"})").status, 404U);
  for (const char* const bad : {"", "{}", R"({"owner":1})", R"({"owner":"a","x":1})"}) {
    EXPECT_EQ(request("POST", "/subscriptions/a/owner", bad).status, 400U) << bad;
  }
}

}  // namespace
}  // namespace weir::server
