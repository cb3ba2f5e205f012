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

TEST(AccessTest, RequiresTheHeaderOfAProxy) {
  const auto proxied = [](std::vector<Field> fields) {
    ServerOptions options;
    options.proxy_header = "X-Forwarded-For";
    Request request;
    request.fields = std::move(fields);
    return base::describe(check_proxy(request, options));
  };
  EXPECT_EQ(proxied({{"x-forwarded-for", "192.0.2.1"}}), "ok");
  EXPECT_EQ(proxied({{"Host", "localhost"}}),
            "broker.unauthenticated - expected the header 'X-Forwarded-For', which the proxy in "
            "front of this broker must add to every request");
  EXPECT_EQ(base::describe(check_proxy(Request(), ServerOptions())), "ok") << "none is expected";
  ServerOptions behind;
  behind.proxy_header = "Gateway";
  EXPECT_EQ(anonymous({{"Host", "localhost"}, {"Gateway", "1"}}, true, behind),
            "broker.unauthenticated")
      << "nobody behind a proxy is this machine";
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
            "http.cross_site");
}

TEST(AccessTest, RefusesPagesOfOtherHosts) {
  const auto origin = [](std::string_view text) {
    return anonymous({{"Host", "localhost:8080"}, {"Origin", text}});
  };
  EXPECT_EQ(origin("http://localhost:8080"), "ok");
  for (const char* const foreign :
       {"http://localhost:8081", "https://evil.example", "null", "", "localhost:8080"}) {
    EXPECT_EQ(origin(foreign), "http.cross_site") << foreign;
  }
  ServerOptions options;
  options.allowed_origins = {"https://page.example"};
  EXPECT_EQ(anonymous({{"Host", "localhost"}, {"Origin", "https://page.example"}}, true, options),
            "ok");
}

TEST(AccessTest, RefusesWhatABrowserSaysIsOfAnotherSite) {
  const auto site = [](std::string_view value, std::vector<Field> more = {}) {
    ServerOptions options;
    options.allowed_origins = {"https://page.example"};
    more.push_back({"Host", "localhost:8080"});
    more.push_back({"Sec-Fetch-Site", value});
    return anonymous(std::move(more), true, options);
  };
  EXPECT_EQ(site("same-origin"), "ok");
  EXPECT_EQ(site("none"), "ok") << "typed by a person";
  for (const char* const foreign : {"cross-site", "CROSS-SITE", "same-site", "", "unheard-of"}) {
    EXPECT_EQ(site(foreign), "http.cross_site") << foreign;
  }
  EXPECT_EQ(site("cross-site", {{"Origin", "http://localhost:8080"}}), "http.cross_site");
  EXPECT_EQ(site("same-origin", {{"Origin", "https://evil.example"}}), "http.cross_site");
  EXPECT_EQ(site("same-origin", {{"Sec-Fetch-Site", "cross-site"}}), "http.cross_site");
  EXPECT_EQ(site("cross-site", {{"Origin", "https://page.example"}}), "ok");
}

std::string field_of(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.fields) {
    if (key == name) return value;
  }
  return "none";
}

TEST(AccessTest, AllowsPagesToSendTheHeadersOfEvents) {
  const auto allowed = [](std::string_view origin, std::string_view asked) {
    ServerOptions options;
    options.allowed_origins = {"https://page.example"};
    Request request;
    request.method = "OPTIONS";
    request.fields = {{"Origin", origin}, {"Access-Control-Request-Headers", asked}};
    Response response;
    add_cross_origin_fields(request, options, response);
    return field_of(response, "Access-Control-Allow-Headers");
  };
  constexpr const char* kAlways = "Authorization, Content-Type, Last-Event-ID";
  EXPECT_EQ(allowed("https://page.example", "ce-id,ce-source, CE-MyExtension1"),
            std::string(kAlways) + ", ce-id, ce-source, CE-MyExtension1");
  EXPECT_EQ(allowed("https://page.example", "x-other, ce-, ce-a_b, ce-a\r\nb, *, cookie"), kAlways);
  EXPECT_EQ(allowed("https://page.example", ""), kAlways);
  EXPECT_EQ(allowed("https://evil.example", "ce-id"), "none");
}

}  // namespace
}  // namespace weir::server
