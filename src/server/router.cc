// SPDX-License-Identifier: Apache-2.0
#include "server/router.h"

#include <fmt/format.h>

#include <array>

#include "server/http_text.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

constexpr std::array kIndex = {RouteMethod{"GET", Action::kIndex}};
constexpr std::array kHealth = {RouteMethod{"GET", Action::kHealth}};
constexpr std::array kReady = {RouteMethod{"GET", Action::kReady}};
constexpr std::array kMetrics = {RouteMethod{"GET", Action::kMetrics}};
constexpr std::array kOpenapi = {RouteMethod{"GET", Action::kOpenapi}};
constexpr std::array kEvents = {RouteMethod{"POST", Action::kPublish}};
constexpr std::array kSubscriptions = {RouteMethod{"GET", Action::kListSubscriptions},
                                       RouteMethod{"POST", Action::kCreateSubscription}};
constexpr std::array kSubscription = {RouteMethod{"GET", Action::kGetSubscription},
                                      RouteMethod{"PUT", Action::kPutSubscription},
                                      RouteMethod{"DELETE", Action::kDeleteSubscription}};
constexpr std::array kAcknowledge = {RouteMethod{"POST", Action::kAcknowledge}};
constexpr std::array kForget = {RouteMethod{"POST", Action::kForget}};
constexpr std::array kExplain = {RouteMethod{"POST", Action::kExplain}};
constexpr std::array kDeadLetters = {RouteMethod{"GET", Action::kDeadLetters}};
constexpr std::array kSubscriptionEvents = {RouteMethod{"GET", Action::kSubscriptionEvents}};
constexpr std::array kStream = {RouteMethod{"GET", Action::kStream}};

constexpr std::array kRoutes = {
    Route{"/", Access::kOpen, false, kIndex},
    Route{"/healthz", Access::kOpen, false, kHealth},
    Route{"/readyz", Access::kOpen, false, kReady},
    Route{"/metrics", Access::kAdmin, false, kMetrics},
    Route{"/openapi.json", Access::kOpen, false, kOpenapi},
    Route{"/events", Access::kPrincipal, false, kEvents},
    Route{"/subscriptions", Access::kPrincipal, false, kSubscriptions},
    Route{"/subscriptions/{id}", Access::kPrincipal, false, kSubscription},
    Route{"/subscriptions/{id}/ack", Access::kPrincipal, false, kAcknowledge},
    Route{"/subscriptions/{id}/forget", Access::kPrincipal, false, kForget},
    Route{"/subscriptions/{id}/explain", Access::kPrincipal, false, kExplain},
    Route{"/subscriptions/{id}/dead-letters", Access::kPrincipal, false, kDeadLetters},
    Route{"/subscriptions/{id}/events", Access::kPrincipal, true, kSubscriptionEvents},
    Route{"/stream", Access::kPrincipal, true, kStream},
};

std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

// The id in the path if the pattern has one, empty if not; nothing if the path is of another form.
std::optional<std::string_view> match(std::string_view pattern, std::string_view path) {
  std::string_view id;
  while (pattern.starts_with('/') && path.starts_with('/')) {
    const std::string_view expected = take_segment(pattern);
    const std::string_view given = take_segment(path);
    if (expected == "{id}" && !given.empty()) {
      id = given;
    } else if (expected != given) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return id;
}

}  // namespace

std::string Route::allow() const {
  std::string result;
  for (const RouteMethod& method : methods) {
    result.append(method.method).append(", ");
    if (method.method == "GET" && !streams) result += "HEAD, ";
  }
  return result + "OPTIONS";
}

std::span<const Route> routes() { return kRoutes; }

base::Result<RouteMatch> find_route(std::string_view path) {
  for (std::size_t index = 0; index < kRoutes.size(); ++index) {
    const auto id = match(kRoutes[index].pattern, path);
    if (!id) continue;
    auto decoded = percent_decode(*id);
    if (!decoded) {
      return Error{ErrorId::kHttpMalformed,
                   "in the path a '%' is not followed by two hexadecimal digits",
                   {}};
    }
    return RouteMatch{index, *std::move(decoded)};
  }
  return Error{ErrorId::kHttpNoRoute, "there is no such resource; GET / lists those there are", {}};
}

base::Result<Action> find_action(const Route& route, std::string_view method) {
  const bool as_get = method == "HEAD" && !route.streams;
  for (const RouteMethod& candidate : route.methods) {
    if (candidate.method == (as_get ? "GET" : method)) return candidate.action;
  }
  return Error{ErrorId::kHttpMethod, fmt::format("{} allows {}", route.pattern, route.allow()), {}};
}

}  // namespace weir::server
