// SPDX-License-Identifier: Apache-2.0
// Grants: what a token may do; Principal: who asks, with what grants.
//
// A scope covers the events whose source and type begin with its prefixes, compared byte by byte:
// '/nyse' also covers the source '/nyse2'; '/nyse/' is what one usually wants. No scopes cover
// nothing, a scope without prefixes covers everything.
//
// Costs: a check compares two prefixes per scope. Immutable once made, shared by pointer.
//
//   {"publish":[{"source":"/nyse/","type":"quote."}],"subscribe":[{}],"block":false,"admin":false}
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "event/event.h"

namespace weir::broker {

constexpr std::size_t kScopeCountMax = 64;      // in each list
constexpr std::size_t kPrefixBytesMax = 1'024;  // of each prefix

struct Scope {
  std::string source_prefix;  // both must hold; empty: any
  std::string type_prefix;

  bool covers(const event::Event& event) const {
    return event.source().starts_with(source_prefix) && event.type().starts_with(type_prefix);
  }
  bool covers(const Scope& scope) const {
    return scope.source_prefix.starts_with(source_prefix) &&
           scope.type_prefix.starts_with(type_prefix);
  }
  bool operator==(const Scope&) const = default;
};

inline bool any_covers(std::span<const Scope> scopes, const event::Event& event) {
  for (const Scope& scope : scopes) {
    if (scope.covers(event)) return true;
  }
  return false;
}

struct Grants {
  std::vector<Scope> publish;    // may publish events that one of these covers
  std::vector<Scope> subscribe;  // gets only events that one of these covers
  bool block = false;            // its subscriptions may choose the outbox policy `block`
  bool admin = false;            // sees and changes the subscriptions of others, metrics

  bool may_publish(const event::Event& event) const { return any_covers(publish, event); }
  bool may_see(const event::Event& event) const { return any_covers(subscribe, event); }
  // The same text for grants that show the same events by the same scopes, in whatever order.
  std::string visibility() const;
  bool may_see_all() const { return std::ranges::find(subscribe, Scope{}) != subscribe.end(); }
  // Each scope of the other to subscribe lies within one of these.
  bool may_see_all_of(const Grants& other) const;
  // The other allows nothing that these do not.
  bool cover(const Grants& other) const;

  // All members are written; those that are not there are read as nothing granted. A member of
  // another name is an error, never ignored.
  std::string to_json() const;
  static base::Result<Grants> parse_json(std::string_view json);
  static Grants all();

  bool operator==(const Grants&) const = default;
};

struct Principal {
  std::string name;  // of the token; empty: anonymous
  Grants grants;
  std::optional<base::Instant> expires = {};  // from then on the token is worth nothing
  // Public part of the secret that was presented; empty in the owner of a subscription, which goes
  // on when a secret is replaced.
  std::string lookup = {};

  bool has_expired(base::Instant now) const { return expires && *expires <= now; }
  bool operator==(const Principal&) const = default;
};

using PrincipalPtr = std::shared_ptr<const Principal>;

}  // namespace weir::broker
