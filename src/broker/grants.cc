// SPDX-License-Identifier: Apache-2.0
#include "broker/grants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "base/near_name.h"
#include "event/json_document.h"

namespace weir::broker {
namespace {

using base::Result;
using event::JsonKind;
using event::JsonRef;

constexpr std::array<std::string_view, 4> kMembers = {"publish", "subscribe", "block", "admin"};
constexpr std::array<std::string_view, 2> kScopeMembers = {"source", "type"};

void append_scope(const Scope& scope, std::string& out) {
  out += '{';
  if (!scope.source_prefix.empty()) {
    out += "\"source\":";
    event::append_json_string(scope.source_prefix, out);
  }
  if (!scope.type_prefix.empty()) {
    out += scope.source_prefix.empty() ? "\"type\":" : ",\"type\":";
    event::append_json_string(scope.type_prefix, out);
  }
  out += '}';
}

void append_scopes(std::span<const Scope> scopes, std::string& out) {
  out += '[';
  for (const Scope& scope : scopes) {
    if (&scope != scopes.data()) out += ',';
    append_scope(scope, out);
  }
  out += ']';
}

bool all_covered(std::span<const Scope> scopes, std::span<const Scope> by) {
  return std::ranges::all_of(scopes, [by](const Scope& scope) {
    return std::ranges::any_of(by, [&](const Scope& wide) { return wide.covers(scope); });
  });
}

// Reads one document, member by member; the first error stays.
class GrantsReader {
 public:
  explicit GrantsReader(std::string_view json) : json_(json) {}

  Result<Grants> read() {
    const auto document = event::JsonDocument::parse(json_);
    if (!document) return document.error();
    base_bytes_ = static_cast<std::size_t>(document->text().data() - json_.data());
    members(document->root(), "grants", kMembers,
            [this](std::string_view name, const JsonRef& value) { member(name, value); });
    if (failed_) return *std::move(failed_);
    return std::move(grants_);
  }

 private:
  void member(std::string_view name, const JsonRef& value) {
    if (name == "publish") return scopes(name, value, grants_.publish);
    if (name == "subscribe") return scopes(name, value, grants_.subscribe);
    flag(name, value, name == "block" ? grants_.block : grants_.admin);
  }

  void flag(std::string_view name, const JsonRef& value, bool& into) {
    into = value.kind() == JsonKind::kTrue;
    if (!into && value.kind() != JsonKind::kFalse) {
      fail(value, fmt::format("expected {} to be true or false", name));
    }
  }

  void scopes(std::string_view name, const JsonRef& value, std::vector<Scope>& into) {
    if (value.kind() != JsonKind::kArray) {
      return fail(value, fmt::format("expected {} to be an array of scopes", name));
    }
    value.for_each_element([&](const JsonRef& element) {
      if (failed_) return;
      if (into.size() == kScopeCountMax) {
        return fail(element, fmt::format("expected at most {} scopes", kScopeCountMax));
      }
      into.push_back(scope(element));
    });
  }

  Scope scope(const JsonRef& value) {
    Scope scope;
    members(value, "a scope", kScopeMembers, [&](std::string_view name, const JsonRef& prefix) {
      if (prefix.kind() != JsonKind::kString || prefix.string().size() > kPrefixBytesMax) {
        return fail(prefix, fmt::format("expected {} to be a string of at most {} bytes", name,
                                        kPrefixBytesMax));
      }
      (name == "source" ? scope.source_prefix : scope.type_prefix) = prefix.string();
    });
    return scope;
  }

  // Calls read(name, value) for each member of the object; a name that is not known is an error.
  template <typename Read>
  void members(const JsonRef& object, std::string_view what,
               std::span<const std::string_view> known, Read&& read) {
    if (object.kind() != JsonKind::kObject) {
      return fail(object, fmt::format("expected {} to be an object", what));
    }
    object.for_each_member([&](const JsonRef& name, const JsonRef& value) {
      if (failed_) return;
      if (std::ranges::find(known, name.string()) != known.end()) return read(name.string(), value);
      fail(name,
           fmt::format("{} has no member '{}'{}; expected {}", what, event::excerpt(name.string()),
                       base::did_you_mean(name.string(), known), fmt::join(known, ", ")));
    });
  }

  void fail(const JsonRef& at, std::string message) {
    if (failed_) return;
    failed_ = base::Error{base::ErrorId::kBrokerToken, std::move(message),
                          base::position_at(json_, base_bytes_ + at.offset_bytes())};
  }

  std::string_view json_;
  std::size_t base_bytes_ = 0;  // where the value begins
  Grants grants_;
  std::optional<base::Error> failed_;
};

}  // namespace

bool Grants::may_see_all_of(const Grants& other) const {
  return all_covered(other.subscribe, subscribe);
}

bool Grants::cover(const Grants& other) const {
  return may_see_all_of(other) && all_covered(other.publish, publish) && block >= other.block &&
         admin >= other.admin;
}

std::string Grants::visibility() const {
  std::vector<Scope> scopes;
  for (const Scope& scope : subscribe) {
    const bool is_within = std::ranges::any_of(
        subscribe, [&](const Scope& other) { return other != scope && other.covers(scope); });
    if (!is_within && std::ranges::find(scopes, scope) == scopes.end()) scopes.push_back(scope);
  }
  std::ranges::sort(scopes, {}, [](const Scope& scope) {
    return std::tie(scope.source_prefix, scope.type_prefix);
  });
  std::string text;
  append_scopes(scopes, text);
  return text;
}

std::string Grants::to_json() const {
  std::string json = "{\"publish\":";
  append_scopes(publish, json);
  json += ",\"subscribe\":";
  append_scopes(subscribe, json);
  json += fmt::format(",\"block\":{},\"admin\":{}}}", block, admin);
  return json;
}

Result<Grants> Grants::parse_json(std::string_view json) { return GrantsReader(json).read(); }

Grants Grants::all() { return {.publish = {{}}, .subscribe = {{}}, .block = true, .admin = true}; }

}  // namespace weir::broker
