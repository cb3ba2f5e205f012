// SPDX-License-Identifier: Apache-2.0
// MatchCosts: how much processor time the matching of one owner's events takes, as measured lately.
//
// An estimate rises at once to what was measured, and falls slowly, by half in kHalfLife: an owner
// whose events were expensive a moment ago is not trusted with many at a time. A measurement of
// less than kSure raises it in proportion only: a few events take the time of a whole batch, and
// say little about the cost of many. Owners that are new begin with kFirst. Single-threaded.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace weir::broker {

// What one shard has measured.
struct MatchCost {
  std::string owner;
  std::size_t event_count = 0;
  std::chrono::nanoseconds time{0};
};

class MatchCosts {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::nanoseconds kFirst = std::chrono::microseconds(200);
  static constexpr std::chrono::nanoseconds kLeast = std::chrono::microseconds(1);
  static constexpr std::chrono::nanoseconds kMost = std::chrono::milliseconds(20);
  static constexpr std::chrono::seconds kHalfLife{2};
  static constexpr std::chrono::nanoseconds kSure = std::chrono::milliseconds(1);
  // Owners of whom nothing was measured for so long are forgotten.
  static constexpr std::chrono::seconds kForgetAfter{60};

  // Of one event, between kLeast and kMost.
  std::chrono::nanoseconds of(std::string_view owner, Clock::time_point now) const;
  void add(const MatchCost& cost, Clock::time_point now);

 private:
  struct Estimate {
    std::chrono::nanoseconds per_event{0};
    Clock::time_point at;
  };
  void forget_old(Clock::time_point now);

  std::map<std::string, Estimate, std::less<>> estimates_;
  Clock::time_point tidy_at_;
};

}  // namespace weir::broker
