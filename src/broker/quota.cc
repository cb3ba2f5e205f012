// SPDX-License-Identifier: Apache-2.0
#include "broker/quota.h"

#include <fmt/format.h>

namespace weir::broker {

base::Result<std::shared_ptr<const void>> Quota::take(const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  const std::size_t owned = owned_by(owner);
  if (total_ >= limits_.total_max || owned >= limits_.per_owner_max) {
    const bool is_own = owned >= limits_.per_owner_max;
    return base::Error{base::ErrorId::kBrokerTooManySubscriptions,
                       fmt::format("{} {} subscriptions already, the limit",
                                   is_own ? "you have" : "there are", is_own ? owned : total_),
                       std::nullopt};
  }
  return add(owner);
}

base::Result<std::shared_ptr<const void>> Quota::take_over(const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  const std::size_t owned = owned_by(owner);
  if (owned < limits_.per_owner_max) return add(owner);
  return base::Error{base::ErrorId::kBrokerTooManySubscriptions,
                     fmt::format("'{}' has {} subscriptions already, the limit is {}", owner, owned,
                                 limits_.per_owner_max),
                     std::nullopt};
}

std::shared_ptr<const void> Quota::take_anyway(const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  return add(owner);
}

std::size_t Quota::owned_by(const std::string& owner) const {
  const auto found = counts_.find(owner);
  return found == counts_.end() ? 0 : found->second;
}

std::shared_ptr<const void> Quota::add(const std::string& owner) {
  ++counts_[owner];
  ++total_;
  return {static_cast<const void*>(nullptr),
          [self = shared_from_this(), owner](const void*) { self->give_back(owner); }};
}

void Quota::give_back(const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  const auto found = counts_.find(owner);
  if (--found->second == 0) counts_.erase(found);
  --total_;
}

}  // namespace weir::broker
