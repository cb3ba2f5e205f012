// SPDX-License-Identifier: Apache-2.0
#include "broker/match_costs.h"

#include <algorithm>
#include <cmath>

namespace weir::broker {

using std::chrono::nanoseconds;

nanoseconds MatchCosts::of(std::string_view owner, Clock::time_point now) const {
  const auto found = estimates_.find(owner);
  if (found == estimates_.end()) return kFirst;
  const auto& [per_event, at] = found->second;
  const double half_lives = std::chrono::duration<double>(now - at) / kHalfLife;
  const auto count = static_cast<double>(per_event.count()) * std::exp2(-half_lives);
  return std::clamp(nanoseconds(static_cast<nanoseconds::rep>(count)), kLeast, kMost);
}

// The first measurement of an owner takes the place of the guess.
void MatchCosts::add(const MatchCost& cost, Clock::time_point now) {
  if (cost.event_count == 0) return;
  const nanoseconds measured = cost.time / cost.event_count;
  const auto found = estimates_.find(cost.owner);
  const bool is_first = found == estimates_.end();
  const nanoseconds before = is_first ? kLeast : of(cost.owner, now);
  const nanoseconds rise = std::clamp(measured, before, kMost) - before;
  const double share =
      is_first ? 1.0 : std::min(1.0, std::chrono::duration<double>(cost.time) / kSure);
  estimates_[cost.owner] = {before + std::chrono::duration_cast<nanoseconds>(rise * share), now};
  if (now >= tidy_at_) forget_old(now);
}

void MatchCosts::forget_old(Clock::time_point now) {
  std::erase_if(estimates_,
                [&](const auto& entry) { return now - entry.second.at > kForgetAfter; });
  tidy_at_ = now + kForgetAfter;
}

}  // namespace weir::broker
