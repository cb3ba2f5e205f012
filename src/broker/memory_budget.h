// SPDX-License-Identifier: Apache-2.0
// MemoryBudget counts the memory of each part of the broker, by owner, against its limit.
//
//   part      holds                                    when it is full
//   publish   events that wait to be written           429 for publishers
//   queue     events that wait to be matched           publishers wait
//   filters   definitions, keys of filters, words of   new keys and words are not remembered,
//             corpora                                  429 for new subscriptions
//   outboxes  pending deliveries, dead letters that    by the outbox's policy: the oldest are
//             wait to be written                       dropped, or publishers are stopped
//   streams   deliveries on their way to consumers     deliveries wait in their outboxes
//             and sinks
//
// The queues, outboxes and streams have limits of their own (broker.publish_queue_bytes,
// broker.shard_queue_bytes, broker.outbox_bytes, broker.transit_bytes); the filters have the rest
// of broker.memory. So no part can take the room of another. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory_account.h"
#include "base/result.h"
#include "broker/broker_options.h"
#include "broker/broker_stats.h"
#include "broker/owner_account.h"
#include "broker/room_signal.h"

namespace weir::broker {

enum class MemoryPart : std::uint8_t { kPublish, kQueue, kFilters, kOutboxes, kStreams };
inline constexpr std::size_t kMemoryPartCount = 5;
std::string_view to_string(MemoryPart part);

class MemoryBudget {
 public:
  explicit MemoryBudget(const BrokerOptions& options);

  // Returns the account of an owner in a part. It counts until its last holder lets it go.
  base::MemoryAccount::Ptr account(MemoryPart part, std::string_view owner);
  const base::MemoryAccount& total(MemoryPart part) const {
    return totals_[static_cast<std::size_t>(part)]->total;
  }
  // Told when memory of streams is given back.
  const std::shared_ptr<RoomSignal>& stream_room() const { return stream_room_; }
  // kBrokerMemory if the filters of this owner, or all filters, have used up their memory.
  base::Result<void> check_filters(std::string_view owner);

  std::vector<MemoryUse> by_part() const;
  // The owners that hold most, at most so many, the largest first.
  std::vector<MemoryUse> by_owner(std::size_t count_max) const;

 private:
  using Key = std::pair<std::string, MemoryPart>;

  std::size_t owner_bytes_max(MemoryPart part) const;
  void drop_unused();

  const BrokerOptions& options_;
  std::size_t bytes_max_;
  std::array<std::shared_ptr<PartAccount>, kMemoryPartCount> totals_;
  std::shared_ptr<RoomSignal> stream_room_ = std::make_shared<RoomSignal>();
  mutable std::mutex mutex_;  // for what follows
  std::map<Key, std::weak_ptr<base::MemoryAccount>, std::less<>> accounts_;
  std::size_t tidy_at_ = 64;  // accounts there may be before the unused ones are dropped
};

}  // namespace weir::broker
