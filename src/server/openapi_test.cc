// SPDX-License-Identifier: Apache-2.0
#include "server/openapi.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/error_testing.h"
#include "event/json_document.h"
#include "server/http_text.h"
#include "server/router.h"

namespace weir::server {
namespace {

using event::JsonRef;

// "get /stream filter", one for each query parameter; without parameters "get /stream" alone.
using Operations = std::set<std::string>;

void add(const std::string& operation, const std::set<std::string>& parameters,
         Operations& operations) {
  if (parameters.empty()) operations.insert(operation);
  for (const std::string& parameter : parameters) operations.insert(operation + " " + parameter);
}

Operations routed() {
  Operations result;
  for (const Route& route : routes()) {
    for (const RouteMethod& method : route.methods) {
      add(to_lower(method.method) + " " + std::string(route.pattern),
          {method.parameters.begin(), method.parameters.end()}, result);
    }
  }
  return result;
}

// A parameter, also if it stands among the components.
JsonRef resolve(const JsonRef& root, const JsonRef& parameter) {
  const JsonRef reference = parameter.member("$ref");
  if (!reference) return parameter;
  const std::string_view path = reference.string();
  return root.member("components").member("parameters").member(path.substr(path.rfind('/') + 1));
}

Operations described(const JsonRef& root) {
  Operations result;
  root.member("paths").for_each_member([&](const JsonRef& path, const JsonRef& item) {
    item.for_each_member([&](const JsonRef& method, const JsonRef& operation) {
      if (method.string() == "parameters") return;
      std::set<std::string> parameters;
      if (const JsonRef list = operation.member("parameters")) {
        list.for_each_element([&](const JsonRef& element) {
          const JsonRef parameter = resolve(root, element);
          if (parameter.member("in").string() != "query") return;
          parameters.emplace(parameter.member("name").string());
        });
      }
      add(std::string(method.string()) + " " + std::string(path.string()), parameters, result);
    });
  });
  return result;
}

TEST(OpenapiTest, DescribesEveryRouteMethodAndQueryParameterAndNoOther) {
  const auto document = event::JsonDocument::parse(openapi_document());
  ASSERT_EQ(base::describe(document), "ok");
  EXPECT_EQ(described(document->root()), routed());
}

TEST(OpenapiTest, AsksForATokenExceptOnOpenRoutes) {
  const auto document = event::JsonDocument::parse(openapi_document());
  ASSERT_EQ(base::describe(document), "ok");
  for (const Route& route : routes()) {
    const JsonRef item = document->root().member("paths").member(route.pattern);
    for (const RouteMethod& method : route.methods) {
      const JsonRef security = item.member(to_lower(method.method)).member("security");
      EXPECT_EQ(static_cast<bool>(security), route.access == Access::kOpen) << route.pattern;
    }
  }
}

}  // namespace
}  // namespace weir::server
