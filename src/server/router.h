// SPDX-License-Identifier: Apache-2.0
// The resources of the server: one table of paths, methods and who may use them.
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
  kListSubscriptions,
  kCreateSubscription,
  kGetSubscription,
  kPutSubscription,
  kDeleteSubscription,
  kAcknowledge,
  kForget,
  kExplain,
  kDeadLetters,
  kSubscriptionEvents,
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
};

struct Route {
  std::string_view pattern;  // one segment may be {id}
  Access access;
  bool streams;  // its GET does not end
  std::span<const RouteMethod> methods;

  // "GET, HEAD, POST, OPTIONS"
  std::string allow() const;
};

std::span<const Route> routes();

struct RouteMatch {
  std::size_t route_index = 0;
  std::string id = {};  // the segment {id}, decoded
};

// The route of a path as it was sent; kHttpNoRoute if there is none.
base::Result<RouteMatch> find_route(std::string_view path);
// HEAD is as GET, where it ends; kHttpMethod if the route has no such method.
base::Result<Action> find_action(const Route& route, std::string_view method);

}  // namespace weir::server
