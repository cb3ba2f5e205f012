// SPDX-License-Identifier: Apache-2.0
// What it costs to remember the keys of a time window: bits per live key of several structures, at
// the moment when each has the most false positives. A live key is one of the last w.
//
//   P = 1 %, w = 2 minutes                 bits per live key    remembers longer by up to
//   generational (generational_sizing.h)        18.0              1/7 of w
//   age-partitioned, 99 slices to ask           19.7              1/87 of w
//   two rotating block filters                  23.2              all of w
//   timers of 1 s (paper 000)                   67.1              one tick
//   an exact map, measured                     396                nothing
#pragma once

#include <cstdint>

#include "base/instant.h"
#include "bloom/probe.h"

namespace weir::bloom {

// Requires both above zero.
struct TimerSpan {
  base::Duration window;
  base::Duration tick = base::Duration::seconds(1);
};
// b = log2(w + 1), whole bits: a timer counts w/tick ticks down to zero, so it has one value more
// than the window has ticks.
std::uint32_t timer_bits(TimerSpan span);
// b m/n, with the best k for the wanted rate.
double timer_bits_per_live_key(TimerSpan span, double false_positives);

// (1 - e^(-k/m))^k: false positives if all k timers must be equal and no two keys arrive in one
// tick, so that one other key must have set exactly these k cells.
double equal_timers_false_positives(const BloomShape& shape);

// Two filters of blocks of 512 bits. One is filled for a window while both are asked, then the
// older is cleared and filled in turn; at worst both are full, and each may err half as often.
double rotating_bits_per_live_key(double false_positives);

// Age-partitioned (Shtul, Baquero, Almeida 2020): k + l slices in a row, a key sets one bit in each
// of the first k, and is seen if k adjacent slices have its bits. The row moves by a slice for each
// generation, l generations are a window, and a full slice has half its bits set.
struct AgePartitionedShape {
  std::uint32_t probe_count = 0;       // k
  std::uint32_t generation_count = 0;  // l; remembers longer by up to w/l
};
double age_partitioned_false_positives(AgePartitionedShape shape);
// k (k + l) / (l ln 2).
double age_partitioned_bits_per_live_key(AgePartitionedShape shape);
// The shape with the fewest bits whose false positives stay within the wanted rate.
AgePartitionedShape age_partitioned_shape(double false_positives);

// Measured: a hash map of 64-bit keys and expiry times with its list by age, bits per live key.
inline constexpr double kExactMapBitsPerLiveKeyMeasured = 396;

}  // namespace weir::bloom
