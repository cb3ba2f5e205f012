// SPDX-License-Identifier: Apache-2.0
// LogShares: how many bytes of the events in the log are of which owner, and how many it may have.
//
//   bucket  events 1-800   a: 3 MB  b: 1 MB      goes when the log begins behind event 800
//           events 801-950 a: 4 MB
//
// An owner that has used its quota publishes nothing more until its older events have left the log.
// If all quotas together fit into the log, nobody can push another's events out of it. Buckets are
// saved with each checkpoint: events that were accepted after the last one before a crash are
// nobody's. Costs one lock for each request and each commit. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "broker/broker_stats.h"

namespace weir::broker {

// Where it is saved, among the shared states of the registry.
inline constexpr std::string_view kLogSharesName = "log_shares";

class LogShares {
 public:
  struct Limits {
    std::uint64_t owner_bytes_max = 0;  // 0: no quota
    std::uint64_t bucket_bytes = 1;     // after which a new one begins
  };
  explicit LogShares(Limits limits) : limits_(limits) {}

  // kBrokerQuota if the owner may not have so many bytes more.
  base::Result<void> check(std::string_view owner, std::uint64_t bytes) const;

  struct Part {
    std::string owner;
    std::uint64_t bytes = 0;
  };
  // Events up to this one were written. Sequences ascend from call to call.
  void add(const std::vector<Part>& parts, std::uint64_t last_sequence);
  // The log begins with this event now. A bucket stays as long as one of its events does.
  void retire_before(std::uint64_t first_sequence);

  // The owners that have most, at most so many, the largest first.
  std::vector<MemoryUse> largest(std::size_t count_max) const;

  // The same bytes for the same buckets.
  std::string save() const;
  // Takes what save() gave; kStoreCorrupt and no change if it is malformed. Before add().
  base::Result<void> restore(std::string_view bytes);

 private:
  using Bytes = std::map<std::string, std::uint64_t, std::less<>>;
  struct Bucket {
    std::uint64_t last_sequence = 0;
    std::uint64_t bytes = 0;
    Bytes owners = {};
  };

  void count(const Bucket& bucket);

  Limits limits_;
  mutable std::mutex mutex_;    // for what follows
  std::deque<Bucket> buckets_;  // oldest first
  Bytes totals_;
};

}  // namespace weir::broker
