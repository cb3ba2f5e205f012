// SPDX-License-Identifier: Apache-2.0
#include "server/router.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error_testing.h"
#include "event/json_document.h"
#include "server/http_text.h"
#include "server/openapi.h"

namespace weir::server {
namespace {

std::string route_of(std::string_view path) {
  const auto match = find_route(path);
  if (!match) return std::string(base::error_info(match.error().id).name);
  return std::string(routes()[match->route_index].pattern) + " " + match->id;
}

TEST(RouterTest, FindsRoutes) {
  EXPECT_EQ(route_of("/"), "/ ");
  EXPECT_EQ(route_of("/events"), "/events ");
  EXPECT_EQ(route_of("/subscriptions/a%2Eb"), "/subscriptions/{id} a.b");
  EXPECT_EQ(route_of("/subscriptions/a/dead-letters"), "/subscriptions/{id}/dead-letters a");
  for (const char* const path : {"", "*", "/event", "/events/", "/subscriptions/", "//events",
                                 "/subscriptions/a/", "/subscriptions/a/b", "/EVENTS"}) {
    EXPECT_EQ(route_of(path), "http.no_route") << path;
  }
  EXPECT_EQ(route_of("/subscriptions/%4"), "http.malformed");
}

TEST(RouterTest, KnowsItsMethods) {
  const Route& route = routes()[find_route("/subscriptions").value().route_index];
  EXPECT_EQ(find_action(route, "GET").value(), Action::kListSubscriptions);
  EXPECT_EQ(find_action(route, "HEAD").value(), Action::kListSubscriptions);
  EXPECT_EQ(base::describe(find_action(route, "PATCH")),
            "http.method - /subscriptions allows GET, HEAD, POST, OPTIONS");
  const Route& stream = routes()[find_route("/stream").value().route_index];
  EXPECT_FALSE(find_action(stream, "HEAD").has_value());
}

TEST(RouterTest, IsDescribedByTheOpenapiDocument) {
  std::set<std::string> expected;
  for (const Route& route : routes()) {
    for (const RouteMethod& method : route.methods) {
      expected.insert(to_lower(method.method) + " " + std::string(route.pattern));
    }
  }
  const auto document = event::JsonDocument::parse(openapi_document());
  ASSERT_EQ(base::describe(document), "ok");
  std::set<std::string> described;
  document->root().member("paths").for_each_member(
      [&](const event::JsonRef& path, const event::JsonRef& item) {
        item.for_each_member([&](const event::JsonRef& name, const event::JsonRef&) {
          if (name.string() == "parameters") return;
          described.insert(std::string(name.string()) + " " + std::string(path.string()));
        });
      });
  EXPECT_EQ(described, expected);
}

}  // namespace
}  // namespace weir::server
