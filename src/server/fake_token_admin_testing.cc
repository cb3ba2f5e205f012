// SPDX-License-Identifier: Apache-2.0
#include "server/fake_token_admin_testing.h"

#include <fmt/format.h>

#include <utility>

namespace weir::server {
namespace {

using base::Error;
using base::ErrorId;

constexpr base::Instant kNow{1'700'000'000'000'000'000};

Error no_such(std::string_view name) {
  return {ErrorId::kBrokerNoSuchToken, fmt::format("there is no token '{}'", name), {}};
}

}  // namespace

broker::IssuedToken FakeTokenAdmin::issue(const broker::TokenInfo& info) {
  return {.text = fmt::format("secret-{}-{}", info.name, ++issued_count_), .info = info};
}

base::Result<broker::IssuedToken> FakeTokenAdmin::create(const broker::Principal& /*admin*/,
                                                         const broker::TokenRequest& request) {
  const std::lock_guard lock(mutex_);
  last_thread_ = std::this_thread::get_id();
  if (request.name == "taken") return Error{ErrorId::kBrokerTokenExists, "it is taken", {}};
  if (request.name == "wide") return Error{ErrorId::kBrokerForbidden, "beyond yours", {}};
  const broker::TokenInfo info{
      .name = request.name, .grants = request.grants, .created = kNow, .expires = request.expires};
  tokens_[info.name] = info;
  return issue(info);
}

base::Result<broker::IssuedToken> FakeTokenAdmin::rotate(const broker::Principal& /*admin*/,
                                                         std::string_view name,
                                                         base::Duration overlap) {
  const std::lock_guard lock(mutex_);
  last_thread_ = std::this_thread::get_id();
  last_overlap_ = overlap;
  const auto found = tokens_.find(name);
  if (found == tokens_.end() || found->second.revoked) return no_such(name);
  found->second.former_until.push_back(kNow + overlap);
  return issue(found->second);
}

base::Result<void> FakeTokenAdmin::revoke(const broker::Principal& /*admin*/,
                                          std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = tokens_.find(name);
  if (found == tokens_.end()) return no_such(name);
  found->second.revoked = true;
  return {};
}

base::Result<broker::TokenInfo> FakeTokenAdmin::get(const broker::Principal& /*admin*/,
                                                    std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = tokens_.find(name);
  if (found == tokens_.end()) return no_such(name);
  return found->second;
}

base::Result<std::vector<broker::TokenInfo>> FakeTokenAdmin::list(
    const broker::Principal& /*admin*/, std::string_view after_name, std::size_t count_max) {
  const std::lock_guard lock(mutex_);
  std::vector<broker::TokenInfo> found;
  for (auto it = tokens_.upper_bound(after_name); it != tokens_.end() && found.size() < count_max;
       ++it) {
    found.push_back(it->second);
  }
  return found;
}

std::thread::id FakeTokenAdmin::last_thread() const {
  const std::lock_guard lock(mutex_);
  return last_thread_;
}

base::Duration FakeTokenAdmin::last_overlap() const {
  const std::lock_guard lock(mutex_);
  return last_overlap_;
}

}  // namespace weir::server
