// SPDX-License-Identifier: Apache-2.0
// The resources of the server: one table of paths, methods, query parameters and who may use them.
// server/openapi/ describes each of them; a test compares the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::server {

enum class Action : std::uint8_t {
  kIndex,
  kHealth,
  kReady,
  kMetrics,
  kOpenapi,
  kPublish,
  kGrantWebhook,
  kListSubscriptions,
  kCreateSubscription,
  kGetSubscription,
  kPutSubscription,
  kDeleteSubscription,
  kAcknowledge,
  kNack,
  kForget,
  kExplain,
  kDeadLetters,
  kResendDeadLetters,
  kPurgeDeadLetters,
  kSubscriptionEvents,
  kTransferSubscription,
  kListTokens,
  kCreateToken,
  kGetToken,
  kRevokeToken,
  kRotateToken,
  kTransferAll,
  kStream,
};

enum class Access : std::uint8_t {
  kOpen,
  kPrincipal,  // who has a token, or is let in without
  kAdmin,
};

struct RouteMethod {
  std::string_view method;
  Action action;
  std::span<const std::string_view> parameters = {};  // of the query, besides access_token
  std::string_view produces = "application/json";     // type of its answer; empty: it has no body
};

struct Route {
  std::string_view pattern;  // segments may be {id} or {name}, and {delivery}
  Access access;
  bool streams;  // its GET does not end
  std::span<const RouteMethod> methods;
  bool is_about_server = false;  // connections are reserved for it

  // "GET, HEAD, POST, OPTIONS"
  std::string allow() const;
};

std::span<const Route> routes();

struct RouteMatch {
  std::size_t route_index = 0;
  std::string id = {};        // the segment {id} or {name}, decoded
  std::string delivery = {};  // the segment {delivery}, likewise
};

// The route of a path as it was sent; kHttpNoRoute if there is none.
base::Result<RouteMatch> find_route(std::string_view path);
// HEAD is as GET, where it ends; kHttpMethod if the route has no such method.
base::Result<RouteMethod> find_method(const Route& route, std::string_view method);

}  // namespace weir::server
