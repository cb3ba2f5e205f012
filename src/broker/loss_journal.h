// SPDX-License-Identifier: Apache-2.0
// LossJournal: which subscriptions have lost deliveries, or are about to, for those who write logs.
//
// Adds up by subscription and kind until it is taken. Bounded: beyond kSubscriptionCountMax the
// losses of further subscriptions are added up under an empty id. Any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::broker {

enum class LossKind : std::uint8_t {
  kDropped,      // the outbox or the list of dead letters was full
  kExpired,      // retention removed the event
  kWithheld,     // the grants of the reader no longer cover the event
  kSkipped,      // a replay found events gone that it was to read; the count is of events
  kOverBudget,   // events were too costly for the owner's filters; the count is of events
  kExpiresSoon,  // nothing is lost yet; the count is of pending deliveries
};

struct Loss {
  std::string subscription;  // its id; empty: of further subscriptions, or of streams
  LossKind kind = LossKind::kDropped;
  std::uint64_t count = 0;
};

class LossJournal {
 public:
  static constexpr std::size_t kSubscriptionCountMax = 1000;

  void add(std::string_view subscription, LossKind kind, std::uint64_t count) {
    const std::scoped_lock lock(mutex_);
    const Key key{subscription, kind};
    const bool fits = losses_.size() < kSubscriptionCountMax || losses_.contains(key);
    losses_[fits ? key : Key{std::string(), kind}] += count;
  }

  std::vector<Loss> take() {
    std::map<Key, std::uint64_t> taken;
    {
      const std::scoped_lock lock(mutex_);
      taken.swap(losses_);
    }
    std::vector<Loss> losses;
    for (const auto& [key, count] : taken) losses.push_back({key.first, key.second, count});
    return losses;
  }

 private:
  using Key = std::pair<std::string, LossKind>;
  std::mutex mutex_;
  std::map<Key, std::uint64_t> losses_;
};

}  // namespace weir::broker
