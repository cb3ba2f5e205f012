// SPDX-License-Identifier: Apache-2.0
#include "broker/token_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weir::broker {
namespace {

using base::Error;
using base::ErrorId;
using base::Result;

Error forbidden(std::string message) { return {ErrorId::kBrokerForbidden, std::move(message), {}}; }

// Whoever issues a secret knows it, and could use it.
Result<void> check_covers(const Principal& admin, const Grants& grants,
                          std::optional<base::Instant> expires) {
  if (!admin.grants.cover(grants)) return forbidden("the grants of the token go beyond yours");
  if (admin.expires && (!expires || *expires > *admin.expires)) {
    return forbidden("the token would be valid for longer than yours: expected an earlier expiry");
  }
  return {};
}

}  // namespace

Result<void> TokenService::reload() {
  auto changes = tokens_.reload(context_.registry, context_.options.wall_now());
  if (!changes) return changes.error();
  tell(*changes);
  const std::scoped_lock lock(mutex_);
  unreadable_ = std::move(changes->unreadable);
  return {};
}

void TokenService::tell(const TokenChanges& changes) {
  ++revision_;
  if (!changes.gone.empty() || !changes.ended.empty()) context_.changed(changes);
}

std::vector<Error> TokenService::unreadable() const {
  const std::scoped_lock lock(mutex_);
  return unreadable_;
}

void TokenService::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void TokenService::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void TokenService::watch(const std::stop_token& stop) {
  const std::chrono::nanoseconds interval(context_.options.token_look_interval.nanoseconds);
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, stop, interval, [] { return false; });
    }
    look();
  }
}

void TokenService::look() {
  TokenChanges changes;
  changes.ended = tokens_.end_overlaps(context_.options.wall_now());
  if (!changes.ended.empty()) tell(changes);
  const auto changed = context_.registry.changed_by_others();
  if (!changed) ++context_.counters.token_read_failures;
  if (is_behind_ || (changed && *changed)) static_cast<void>(catch_up());
}

// A failure is counted, and reading is tried again at the next look.
Result<void> TokenService::catch_up() {
  auto read = reload();
  is_behind_ = !read;
  if (!read) ++context_.counters.token_read_failures;
  return read;
}

// A connection knows for a moment longer who it belongs to.
Result<void> TokenService::check_admin(const Principal& admin) const {
  if (!admin.name.empty() && !tokens_.find(admin.name)) {
    return Error{ErrorId::kBrokerUnauthenticated, "the token was revoked", {}};
  }
  if (!admin.grants.admin) return forbidden("this is for an admin");
  return {};
}

TokenInfo TokenService::info_of(const store::TokenRow& row) const {
  const base::Instant now = context_.options.wall_now();
  TokenInfo info{.name = row.name,
                 .grants = {},
                 .created = row.created,
                 .expires = row.expires,
                 .revoked = row.revoked};
  if (auto grants = Grants::parse_json(row.grants)) info.grants = *std::move(grants);
  for (const store::FormerSecret& former : row.former) {
    if (former.until > now) info.former_until.push_back(former.until);
  }
  std::ranges::sort(info.former_until);
  return info;
}

Result<store::TokenRow> TokenService::row_of(std::string_view name) {
  auto rows = context_.registry.tokens();
  if (!rows) return rows.error();
  const auto found = std::ranges::find(*rows, name, &store::TokenRow::name);
  if (found != rows->end()) return std::move(*found);
  return Error{ErrorId::kBrokerNoSuchToken, fmt::format("there is no token '{}'", name), {}};
}

Result<IssuedToken> TokenService::issued(Result<NewToken> token) {
  if (!token) return token.error();
  // The secret is shown now or never, also if the token can be used only a moment later.
  static_cast<void>(catch_up());
  return IssuedToken{.text = std::move(token->text), .info = info_of(token->row)};
}

Result<IssuedToken> TokenService::create(const Principal& admin, const TokenRequest& request) {
  if (auto checked = check_admin(admin); !checked) return checked.error();
  auto checked = check_covers(admin, request.grants, request.expires);
  if (!checked) return checked.error();
  return issued(tokens_.create(context_.registry, request.name, request.grants, request.expires,
                               context_.options.wall_now()));
}

Result<IssuedToken> TokenService::rotate(const Principal& admin, std::string_view name,
                                         base::Duration overlap) {
  if (auto checked = check_admin(admin); !checked) return checked.error();
  const auto row = row_of(name);
  if (!row) return row.error();
  const auto grants = Grants::parse_json(row->grants);
  if (!grants) return grants.error();
  auto checked = check_covers(admin, *grants, row->expires);
  if (!checked) return checked.error();
  return issued(tokens_.rotate(context_.registry, name, overlap, context_.options.wall_now()));
}

Result<void> TokenService::revoke(const Principal& admin, std::string_view name) {
  if (auto checked = check_admin(admin); !checked) return checked;
  if (auto revoked = tokens_.revoke(context_.registry, name); !revoked) return revoked;
  return catch_up();
}

Result<TokenInfo> TokenService::get(const Principal& admin, std::string_view name) {
  if (auto checked = check_admin(admin); !checked) return checked.error();
  const auto row = row_of(name);
  if (!row) return row.error();
  return info_of(*row);
}

Result<std::vector<TokenInfo>> TokenService::list(const Principal& admin,
                                                  std::string_view after_name,
                                                  std::size_t count_max) {
  if (auto checked = check_admin(admin); !checked) return checked.error();
  const auto rows = context_.registry.tokens();
  if (!rows) return rows.error();
  std::vector<TokenInfo> infos;
  auto row = std::ranges::upper_bound(*rows, after_name, {},
                                      [](const auto& it) { return std::string_view(it.name); });
  for (; row != rows->end() && infos.size() < count_max; ++row) infos.push_back(info_of(*row));
  return infos;
}

}  // namespace weir::broker
