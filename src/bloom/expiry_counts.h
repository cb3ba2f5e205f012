// SPDX-License-Identifier: Apache-2.0
// ExpiryCounts: how many timers run out at which tick, so that the number of those that are alive
// is known without looking at them.
//
//   entries   . . | 17: 3 | 18: 0 | 19: 5 | 23: 2 |      ascending ticks; those before the bar are
//                 ^ head_                                over, an entry of 0 waits to be dropped
//
// At most about twice as many entries of 16 bytes as there are different ticks at which timers run
// out. Adding at the latest tick and forgetting take constant time on average; adding at a tick
// before others that had no entry moves the entries behind it. Ticks may pass 2^64 and start
// again, as long as those that are held or asked for lie within 2^63. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::bloom {

class ExpiryCounts {
 public:
  void add(std::uint64_t tick);
  // Requires that the tick was added and not yet removed or expired.
  void remove(std::uint64_t tick);
  // Forgets what runs out at this tick or before; the number of timers that did.
  std::uint64_t expire(std::uint64_t tick);

  bool empty() const { return head_ == entries_.size(); }
  // The tick at which the last timer runs out. Requires that it is not empty, and that a timer is
  // removed only to be added again at a later tick.
  std::uint64_t last_tick() const { return entries_.back().tick; }
  std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

  // Instead of all that there was. Requires ascending ticks; equal ones count together.
  void assign(std::span<const std::uint64_t> ticks);

 private:
  struct Entry {
    std::uint64_t tick;
    std::uint64_t count;
  };

  // The first entry that is not before the tick.
  std::vector<Entry>::iterator find(std::uint64_t tick);
  void make_room();

  std::vector<Entry> entries_;
  std::size_t head_ = 0;
};

}  // namespace weir::bloom
