// SPDX-License-Identifier: Apache-2.0
// TimerBloom: a sliding window over keys. Each of m cells is a timer; a key sets k of them to w.
//
// Guarantees, with time in ticks (tick = floor(instant / tick), w rounded up to whole ticks): a
// key that was set at tick t is seen at t .. t+w-1 and distinct at t+w, unless other keys' timers
// make it a false positive: p = (1 - (1 - 1/m)^(kn))^k with n keys in the window. All that can be
// observed is as if every non-zero timer were decremented at every tick (paper 000, section 4).
//
//   w = 6, M = 7, the latest tick is 9 (phase 9 mod 7 = 2):
//
//   timer  as the paper has it      0   6   1   0   0      what is observed
//   code   as it is stored          0   2   4   3   0      0: unset, else 1 + (expiry mod M)
//                                       ^   ^   ^
//               runs out at tick       15  10   9, over: stale until the sweep comes by
//
// M = 2^bits - 1 leaves at least w/16 codes, and one, beside those of live timers. So many ticks a
// stale code may stay before it would look alive again; within them the sweep visits every cell.
//
// `test_and_set` is not there on purpose: a timer may be set only if the key is distinct, which is
// not known before all its cells were asked; setting on the way would make others live longer.
//
// Equal timers (k' > 1): seen only if also k' of the k timers are equal, as those that one key has
// set are. Fewer false positives, and false negatives: a key after which n others were set keeps
// each timer with q = (1 - 1/m)^(kn), so it is missed with about P(Binomial(k, q) < k').
//
// Costs k random accesses per operation. The first call in a new tick also sweeps <= 16 m/w cells
// per tick that passed, at most m, and none if nothing is stale: a jump of time over w/16 ticks or
// more costs a pass over all cells, however far it goes. A delayed event at a tick that no other
// has moves up to 16 bytes per tick behind it (expiry_counts.h). Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/result.h"
#include "bloom/expiry_counts.h"
#include "bloom/packed_cells.h"
#include "bloom/probe.h"

namespace weir::bloom {

inline constexpr std::uint64_t kWindowTicksMax = std::uint64_t{1} << 31;

struct TimerOptions {
  base::Duration within;        // w in the paper
  base::Duration tick;          // the time unit
  std::uint32_t equal_min = 0;  // k' of the equal timers heuristic; 0 or 1: off
  bool refresh = false;         // a duplicate sets its timers again

  bool operator==(const TimerOptions&) const = default;

  // w in ticks; 0 if it is not a window of 1 to kWindowTicksMax ticks.
  std::uint64_t window_ticks() const;
  // Pieces of a frame's body.
  void write(base::ByteWriter& writer) const;
  static TimerOptions read(base::ByteReader& reader);
};

// Whether a filter of this shape can have these options.
bool is_valid(const BloomShape& shape, const TimerOptions& options);

class TimerBloom {
 public:
  // Requires a ClassicBloom's shape, window_ticks() > 0 and equal_min <= probe_count.
  TimerBloom(BloomShape shape, const TimerOptions& options);

  // An instant before the latest one that was seen counts as that one.
  bool test(std::uint64_t key, base::Instant now) const;
  // The size of the largest group of equal timers if all k are alive, else 0.
  std::uint32_t equal_count(std::uint64_t key, base::Instant now) const;

  void set(std::uint64_t key, base::Instant now);
  // A delayed event of the instant `at` is remembered for w - (now - at), if that is not over; one
  // of a later instant for w. Never shortens a timer.
  void set(std::uint64_t key, base::Instant now, base::Instant at);
  bool first_test_then_set(std::uint64_t key, base::Instant now);
  bool first_test_then_set(std::uint64_t key, base::Instant now, base::Instant at);
  // distinct[i] answers for keys[i]; requires room for every answer. The same as one after another.
  void first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                           std::span<bool> distinct);

  // What every call that sets does first: expires what is over.
  void advance(base::Instant now);
  // Whether an event of this instant is out of the window at the latest instant.
  bool is_over(base::Instant at) const { return timer_for(at) == 0; }
  // Asks for the key's cells ahead.
  void prefetch(std::uint64_t key) const;

  const BloomShape& shape() const { return shape_; }
  const TimerOptions& options() const { return options_; }
  // The latest instant that was advanced to; the least of all before the first.
  base::Instant latest() const { return latest_; }
  // How often a call that sets came with an instant before the latest.
  std::uint64_t clock_backward_count() const { return clock_backward_count_; }
  // Timers that are not zero at the latest instant: z in the paper.
  std::uint64_t live_cell_count() const { return live_cell_count_; }
  double density() const;
  // Whether no timer is alive at the instant.
  bool empty(base::Instant now) const;
  std::size_t memory_bytes() const { return cells_.memory_bytes() + expiries_.memory_bytes(); }

  // Frame of kind T: docs/formats/bloom.md. The same observable state gives the same bytes.
  std::string save() const;
  // Fails with kStoreCorrupt. Takes at most some ten times the memory of the bytes.
  static base::Result<TimerBloom> restore(std::string_view bytes);

 private:
  std::int64_t tick_of(base::Instant instant) const;
  // Ticks from the latest to the instant; 0 if it is before.
  std::uint64_t ticks_ahead(base::Instant now) const;
  std::uint64_t timer(std::uint64_t index) const;
  std::uint64_t code_of(std::uint64_t timer) const;
  bool is_distinct(std::uint64_t key, std::uint64_t ahead) const;
  std::uint32_t largest_group(std::uint64_t key, std::uint64_t ahead) const;
  bool first_test_then_put(std::uint64_t key, std::uint64_t value);
  std::uint64_t timer_for(base::Instant at) const;
  void put(std::uint64_t key, std::uint64_t value);
  void put_cell(std::uint64_t index, std::uint64_t value);
  void sweep(std::uint64_t passed);
  void sweep_cells(std::uint64_t begin, std::uint64_t end, std::uint64_t passed);
  void take_timers(const PackedCells& timers);

  BloomShape shape_;
  TimerOptions options_;
  std::uint64_t window_;      // w in ticks
  std::uint64_t code_count_;  // M
  PackedCells cells_;
  ExpiryCounts expiries_;

  base::Instant latest_{std::numeric_limits<std::int64_t>::min()};
  std::int64_t tick_;         // of the latest instant
  std::int64_t tick_end_ns_;  // below it, an instant has the same tick
  std::uint64_t phase_ = 0;   // the code of a timer that runs out now, less one
  std::uint64_t sweep_next_ = 0;
  std::uint64_t stale_cell_count_ = 0;
  std::uint64_t live_cell_count_ = 0;
  std::uint64_t clock_backward_count_ = 0;
};

}  // namespace weir::bloom
