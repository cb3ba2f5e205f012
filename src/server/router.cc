// SPDX-License-Identifier: Apache-2.0
#include "server/router.h"

#include <fmt/format.h>

#include <array>

#include "server/http_text.h"

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

constexpr std::array<std::string_view, 2> kPageParameters = {"after", "limit"};
constexpr std::array<std::string_view, 2> kResumeParameters = {"last_event_id", "envelope"};
constexpr std::array<std::string_view, 5> kStreamParameters = {"filter", "outbox", "limit", "start",
                                                               "envelope"};

constexpr std::string_view kEventStream = "text/event-stream";

constexpr std::array kIndex = {RouteMethod{"GET", Action::kIndex}};
constexpr std::array kHealth = {RouteMethod{"GET", Action::kHealth}};
constexpr std::array kReady = {RouteMethod{"GET", Action::kReady}};
constexpr std::array kMetrics = {RouteMethod{"GET", Action::kMetrics, {}, "text/plain"}};
constexpr std::array kOpenapi = {RouteMethod{"GET", Action::kOpenapi}};
constexpr std::array kEvents = {RouteMethod{"POST", Action::kPublish},
                                RouteMethod{"OPTIONS", Action::kGrantWebhook}};
constexpr std::array kSubscriptions = {
    RouteMethod{"GET", Action::kListSubscriptions, kPageParameters},
    RouteMethod{"POST", Action::kCreateSubscription}};
constexpr std::array kSubscription = {RouteMethod{"GET", Action::kGetSubscription},
                                      RouteMethod{"PUT", Action::kPutSubscription},
                                      RouteMethod{"DELETE", Action::kDeleteSubscription, {}, ""}};
constexpr std::array kAcknowledge = {RouteMethod{"POST", Action::kAcknowledge}};
constexpr std::array kNack = {RouteMethod{"POST", Action::kNack}};
constexpr std::array kForget = {RouteMethod{"POST", Action::kForget}};
constexpr std::array kExplain = {RouteMethod{"POST", Action::kExplain}};
constexpr std::array kDeadLetters = {RouteMethod{"GET", Action::kDeadLetters, kPageParameters},
                                     RouteMethod{"DELETE", Action::kPurgeDeadLetters}};
constexpr std::array kDeadLetter = {RouteMethod{"DELETE", Action::kPurgeDeadLetters}};
constexpr std::array kResend = {RouteMethod{"POST", Action::kResendDeadLetters}};
constexpr std::array kSubscriptionEvents = {
    RouteMethod{"GET", Action::kSubscriptionEvents, kResumeParameters, kEventStream}};
constexpr std::array kOwner = {RouteMethod{"POST", Action::kTransferSubscription}};
constexpr std::array kTokens = {RouteMethod{"GET", Action::kListTokens, kPageParameters},
                                RouteMethod{"POST", Action::kCreateToken}};
constexpr std::array kToken = {RouteMethod{"GET", Action::kGetToken},
                               RouteMethod{"DELETE", Action::kRevokeToken}};
constexpr std::array kRotate = {RouteMethod{"POST", Action::kRotateToken}};
constexpr std::array kTransfer = {RouteMethod{"POST", Action::kTransferAll}};
constexpr std::array kStream = {
    RouteMethod{"GET", Action::kStream, kStreamParameters, kEventStream}};

constexpr std::array kRoutes = {
    Route{"/", Access::kOpen, false, kIndex},
    Route{"/healthz", Access::kOpen, false, kHealth, true},
    Route{"/readyz", Access::kOpen, false, kReady, true},
    Route{"/metrics", Access::kAdmin, false, kMetrics, true},
    Route{"/openapi.json", Access::kOpen, false, kOpenapi},
    Route{"/events", Access::kPrincipal, false, kEvents},
    Route{"/subscriptions", Access::kPrincipal, false, kSubscriptions},
    Route{"/subscriptions/{id}", Access::kPrincipal, false, kSubscription},
    Route{"/subscriptions/{id}/ack", Access::kPrincipal, false, kAcknowledge},
    Route{"/subscriptions/{id}/nack", Access::kPrincipal, false, kNack},
    Route{"/subscriptions/{id}/forget", Access::kPrincipal, false, kForget},
    Route{"/subscriptions/{id}/explain", Access::kPrincipal, false, kExplain},
    Route{"/subscriptions/{id}/dead-letters", Access::kPrincipal, false, kDeadLetters},
    Route{"/subscriptions/{id}/dead-letters/resend", Access::kPrincipal, false, kResend},
    Route{"/subscriptions/{id}/dead-letters/{delivery}", Access::kPrincipal, false, kDeadLetter},
    Route{"/subscriptions/{id}/dead-letters/{delivery}/resend", Access::kPrincipal, false, kResend},
    Route{"/subscriptions/{id}/events", Access::kPrincipal, true, kSubscriptionEvents},
    Route{"/subscriptions/{id}/owner", Access::kAdmin, false, kOwner},
    Route{"/tokens", Access::kAdmin, false, kTokens},
    Route{"/tokens/{name}", Access::kAdmin, false, kToken},
    Route{"/tokens/{name}/rotate", Access::kAdmin, false, kRotate},
    Route{"/tokens/{name}/transfer", Access::kAdmin, false, kTransfer},
    Route{"/stream", Access::kPrincipal, true, kStream},
};

std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

// What a path has where its pattern has braces; empty: the pattern has none.
struct PathTexts {
  std::string_view id;
  std::string_view delivery;
};

// Nothing if the path is of another form.
std::optional<PathTexts> match(std::string_view pattern, std::string_view path) {
  PathTexts texts;
  while (pattern.starts_with('/') && path.starts_with('/')) {
    const std::string_view expected = take_segment(pattern);
    const std::string_view given = take_segment(path);
    if (expected == "{delivery}" && !given.empty()) {
      texts.delivery = given;
    } else if (expected.starts_with('{') && !given.empty()) {
      texts.id = given;
    } else if (expected != given) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return texts;
}

}  // namespace

std::string Route::allow() const {
  std::string result;
  for (const RouteMethod& method : methods) {
    if (method.method == "OPTIONS") continue;
    result.append(method.method).append(", ");
    if (method.method == "GET" && !streams) result += "HEAD, ";
  }
  return result + "OPTIONS";
}

std::span<const Route> routes() { return kRoutes; }

base::Result<RouteMatch> find_route(std::string_view path) {
  for (std::size_t index = 0; index < kRoutes.size(); ++index) {
    const auto texts = match(kRoutes[index].pattern, path);
    if (!texts) continue;
    auto id = percent_decode(texts->id);
    auto delivery = percent_decode(texts->delivery);
    if (!id || !delivery) {
      return Error{ErrorId::kHttpMalformed,
                   "in the path a '%' is not followed by two hexadecimal digits",
                   {}};
    }
    return RouteMatch{index, *std::move(id), *std::move(delivery)};
  }
  return Error{ErrorId::kHttpNoRoute, "there is no such resource; GET / lists those there are", {}};
}

base::Result<RouteMethod> find_method(const Route& route, std::string_view method) {
  const bool as_get = method == "HEAD" && !route.streams;
  for (const RouteMethod& candidate : route.methods) {
    if (candidate.method == (as_get ? "GET" : method)) return candidate;
  }
  return Error{ErrorId::kHttpMethod, fmt::format("{} allows {}", route.pattern, route.allow()), {}};
}

}  // namespace weir::server
