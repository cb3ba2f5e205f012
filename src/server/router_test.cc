// SPDX-License-Identifier: Apache-2.0
#include "server/router.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error_testing.h"

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
  EXPECT_EQ(find_method(route, "GET").value().action, Action::kListSubscriptions);
  EXPECT_EQ(find_method(route, "HEAD").value().action, Action::kListSubscriptions);
  EXPECT_EQ(base::describe(find_method(route, "PATCH")),
            "http.method - /subscriptions allows GET, HEAD, POST, OPTIONS");
  const Route& stream = routes()[find_route("/stream").value().route_index];
  EXPECT_FALSE(find_method(stream, "HEAD").has_value());
}

}  // namespace
}  // namespace weir::server
