// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <gtest/gtest.h>

#include "base/error_testing.h"

namespace weir::server {
namespace {

std::string anonymous(std::vector<Field> fields, bool from_loopback = true,
                      ServerOptions options = {}) {
  Request request;
  request.fields = std::move(fields);
  const auto allowed = check_anonymous(request, from_loopback, options);
  return allowed ? "ok" : std::string(base::error_info(allowed.error().id).name);
}

TEST(AccessTest, TakesTheTokenFromHeaderOrQuery) {
  Request request;
  EXPECT_EQ(token_of(request).value(), std::nullopt);
  request.query = "a=b&access_token=weir%5Fx";
  EXPECT_EQ(token_of(request).value(), "weir_x");
  request.fields = {{"authorization", "bearer  weir_y "}};
  EXPECT_EQ(token_of(request).value(), "weir_y");
  request.fields = {{"Authorization", "Basic eA=="}};
  EXPECT_EQ(token_of(request).error().id, base::ErrorId::kBrokerUnauthenticated);
  request.fields = {{"Authorization", "Bearer a"}, {"Authorization", "Bearer b"}};
  EXPECT_EQ(token_of(request).error().id, base::ErrorId::kBrokerUnauthenticated);
}

TEST(AccessTest, LetsThisMachineInByItsOwnNames) {
  for (const char* const host : {"localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080"}) {
    EXPECT_EQ(anonymous({{"Host", host}}), "ok") << host;
  }
  for (const char* const host : {"evil.example", "localhost.evil.example:8080", "10.0.0.1", ""}) {
    EXPECT_EQ(anonymous({{"Host", host}}), "broker.unauthenticated") << host;
  }
  ServerOptions named;
  named.allowed_hosts = {"box.lan"};
  EXPECT_EQ(anonymous({{"Host", "box.lan:8080"}}, true, named), "ok");
  EXPECT_EQ(anonymous({{"Host", "localhost"}}, false), "broker.unauthenticated");
  for (const char* const field : {"X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto",
                                  "Forwarded", "Via", "X-Real-IP"}) {
    EXPECT_EQ(anonymous({{"Host", "localhost"}, {field, "1.2.3.4"}}), "broker.unauthenticated")
        << field;
  }
  EXPECT_EQ(anonymous({{"Host", "localhost"}, {"X-Forward", "1.2.3.4"}}), "ok");
}

TEST(AccessTest, ComparesTokens) {
  EXPECT_TRUE(is_same_token("", ""));
  EXPECT_TRUE(is_same_token("weir_a", "weir_a"));
  EXPECT_FALSE(is_same_token("weir_a", "weir_b"));
  EXPECT_FALSE(is_same_token("weir_a", "weir_"));
  EXPECT_FALSE(is_same_token("", "weir_"));
}

TEST(AccessTest, KnowsTheOtherModes) {
  ServerOptions options;
  options.anonymous = Anonymous::kOff;
  EXPECT_EQ(anonymous({{"Host", "localhost"}}, true, options), "broker.unauthenticated");
  options.anonymous = Anonymous::kEveryone;
  EXPECT_EQ(anonymous({{"Host", "example.com"}}, false, options), "ok");
  EXPECT_EQ(anonymous({{"Host", "example.com"}, {"Origin", "https://evil"}}, false, options),
            "broker.forbidden");
}

TEST(AccessTest, RefusesPagesOfOtherHosts) {
  const auto origin = [](std::string_view text) {
    return anonymous({{"Host", "localhost:8080"}, {"Origin", text}});
  };
  EXPECT_EQ(origin("http://localhost:8080"), "ok");
  for (const char* const foreign :
       {"http://localhost:8081", "https://evil.example", "null", "", "localhost:8080"}) {
    EXPECT_EQ(origin(foreign), "broker.forbidden") << foreign;
  }
  ServerOptions options;
  options.allowed_origins = {"https://page.example"};
  EXPECT_EQ(anonymous({{"Host", "localhost"}, {"Origin", "https://page.example"}}, true, options),
            "ok");
}

}  // namespace
}  // namespace weir::server
