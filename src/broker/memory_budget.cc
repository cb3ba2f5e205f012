// SPDX-License-Identifier: Apache-2.0
#include "broker/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "broker/largest_uses.h"
#include "broker/machine_memory.h"

namespace weir::broker {
namespace {

constexpr std::array<std::string_view, kMemoryPartCount> kPartNames = {
    "publish", "queue", "filters", "outboxes", "streams"};

// The rest of a queue is left to others.
constexpr std::size_t owner_part_of(std::size_t bytes_max) { return bytes_max / 4 * 3; }

// What is set, or an eighth of the budget.
std::size_t named_or_eighth(std::size_t named, std::size_t bytes_max) {
  return named > 0 ? named : bytes_max / 8;
}

// The rest of the budget, and not less than a quarter where the others are large.
std::size_t filter_bytes_max(const BrokerOptions& options, std::size_t bytes_max) {
  const std::size_t others = options.publish_queue_bytes_max + options.shard_queue_bytes_max +
                             options.recent_bytes_max +
                             named_or_eighth(options.outbox_bytes_max, bytes_max) +
                             named_or_eighth(options.transit_bytes_max, bytes_max);
  return std::max(bytes_max - std::min(bytes_max, others), bytes_max / 4);
}

// Filters stop where the next key does not fit: an account is hardly ever full to the last byte.
bool is_nearly_full(const base::MemoryAccount& account) {
  return account.bytes() >= account.bytes_max() - account.bytes_max() / 16;
}

}  // namespace

std::string_view to_string(MemoryPart part) { return kPartNames[static_cast<std::size_t>(part)]; }

MemoryBudget::MemoryBudget(const BrokerOptions& options)
    : options_(options),
      bytes_max_(options.memory_bytes_max > 0 ? options.memory_bytes_max
                                              : machine_memory_bytes() / 2) {
  const auto make = [](std::size_t bytes_max) {
    return std::make_shared<PartAccount>(
        PartAccount::Limits{.bytes_max = bytes_max, .open_bytes_max = bytes_max});
  };
  // A quarter is kept for owners that hold little.
  const auto make_fair = [](std::size_t bytes_max) {
    return std::make_shared<PartAccount>(
        PartAccount::Limits{.bytes_max = bytes_max, .open_bytes_max = bytes_max - bytes_max / 4});
  };
  totals_ = {make(options.publish_queue_bytes_max), make(options.shard_queue_bytes_max),
             make(filter_bytes_max(options, bytes_max_)),
             make_fair(named_or_eighth(options.outbox_bytes_max, bytes_max_)),
             make_fair(named_or_eighth(options.transit_bytes_max, bytes_max_))};
}

base::MemoryAccount::Ptr MemoryBudget::account(MemoryPart part, std::string_view owner) {
  const std::scoped_lock lock(mutex_);
  std::weak_ptr<base::MemoryAccount>& known = accounts_[Key(owner, part)];
  if (base::MemoryAccount::Ptr account = known.lock()) return account;
  auto account = std::make_shared<OwnerAccount>(owner_bytes_max(part),
                                                totals_[static_cast<std::size_t>(part)]);
  known = account;
  if (accounts_.size() > tidy_at_) drop_unused();
  return account;
}

// Nobody is refused for a full queue: publishers wait.
std::size_t MemoryBudget::owner_bytes_max(MemoryPart part) const {
  if (part == MemoryPart::kQueue) return base::MemoryAccount::kUnlimited;
  if (part == MemoryPart::kFilters) {
    const std::size_t named = options_.memory_per_owner_bytes_max;
    return named > 0 ? named : bytes_max_ / 4;
  }
  if (part == MemoryPart::kPublish) return owner_part_of(options_.publish_queue_bytes_max);
  return total(part).bytes_max() / 2;
}

base::Result<void> MemoryBudget::check_filters(std::string_view owner) {
  const auto refuse = [](std::string_view whose, const base::MemoryAccount& full) {
    return base::Error{base::ErrorId::kBrokerMemory,
                       fmt::format("{} filters remember {} bytes, the limit is {}; subscriptions "
                                   "that are removed make room",
                                   whose, full.bytes(), full.bytes_max()),
                       std::nullopt};
  };
  const base::MemoryAccount::Ptr own = account(MemoryPart::kFilters, owner);
  const base::MemoryAccount& all = total(MemoryPart::kFilters);
  if (is_nearly_full(*own)) return refuse("your", *own);
  if (is_nearly_full(all)) return refuse("all", all);
  return {};
}

void MemoryBudget::drop_unused() {
  std::erase_if(accounts_, [](const auto& entry) { return entry.second.expired(); });
  tidy_at_ = 64 + 2 * accounts_.size();
}

std::vector<MemoryUse> MemoryBudget::by_part() const {
  std::vector<MemoryUse> uses;
  for (std::size_t i = 0; i < kMemoryPartCount; ++i) {
    uses.push_back({std::string(kPartNames[i]), totals_[i]->total.bytes()});
  }
  return uses;
}

std::vector<MemoryUse> MemoryBudget::by_owner(std::size_t count_max) const {
  std::vector<MemoryUse> uses;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, known] : accounts_) {
      const base::MemoryAccount::Ptr account = known.lock();
      if (!account || account->bytes() == 0) continue;
      if (uses.empty() || uses.back().name != key.first) uses.push_back({key.first, 0});
      uses.back().bytes += account->bytes();
    }
  }
  return largest_uses(std::move(uses), count_max);
}

}  // namespace weir::broker
