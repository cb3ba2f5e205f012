// SPDX-License-Identifier: Apache-2.0
// GenerationalBloom: which keys were seen within a sliding window of time, in eight generations.
//
// Guarantees: a key is remembered for at least the window w and at most w/7 longer; inside the
// window it is never called distinct. Other keys are called seen with the probability of
// generational_false_positives(). Memory is fixed when it is made. No call clears more than a
// bounded number of lines, so that none takes long.
//
// The idea. Timers are the costliest way to store age. Here the window is cut into seven parts, and
// keys of one part share a filter: a generation. There are eight, side by side: word g of each line
// of 64 bytes is the lane of generation g.
//
//   bucket 0    line 0    | lane 0 | lane 1 | ... | lane 7 |      8 x 64 bits = one cache line
//               ...
//               line C-1  | lane 0 | lane 1 | ... | lane 7 |      C = 4, or 8 below 0.3 %
//   bucket 1    ...
//
// A key has one bucket, and in each of its C lines two bits. One load and one logical operation per
// line tell which generations have the key; remembering it sets two bits in one lane of each line.
//
// Where time passes. When a generation is over, its lane would have to be cleared at once for the
// next one. Instead every bucket has its own moment: with a period g = w/7, bucket b of B goes on
// to its next generation at (i + b/B) g. So at any moment a boundary stands between buckets that
// are one generation ahead and those that are not; it moves over all buckets once in a period, and
// clears one lane of each as it passes. Each bucket for itself keeps a key for 7g to 8g; nothing
// pauses; and the youngest lane is half full on average instead of full at the worst moment, which
// saves 2 % of the memory. After a silence the boundary would have to jump: each bucket then
// carries the number of its generation, is brought up to date when it is touched, and the others
// follow in steps.
//
// Paper 000, section 4, has timers (TimerBloom); this is ours. An operation costs C cache lines,
// which the batch forms ask for ahead. Single-threaded. Measured by generational_bloom_bench on a
// shared 2.3 GHz Xeon, one thread, batches of 1024; the baseline is a hash map with expiries:
//
//   keys alive   bits per key   false positives   M ops/s AVX-512   x baseline   AVX2   portable
//   1e6          18.3           0.92 %            80 to 93          8 to 11      56     31
//   2e7          18.2           0.92 %            49 to 58          7.6 to 11    48     27
//   2e6          25.4           0.092 %           40
//
// The longest of 400 000 single operations, a silence of 100 windows among them, took 21 us.
//
//   GenerationalBloom seen({.shape = generational_shape(1e6, 0.01), .within = hour, .start = now});
//   if (seen.first_test_then_set(base::hash_bytes(id), now)) deliver();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/result.h"
#include "bloom/generational_sizing.h"
#include "bloom/isa.h"
#include "bloom/lane_kernels.h"
#include "bloom/line_buffer.h"

namespace weir::bloom {

struct GenerationalOptions {
  GenerationalShape shape;
  base::Duration within;     // at least 7 nanoseconds
  base::Instant start = {};  // no key is older
  bool refresh = false;      // a duplicate starts its key's window anew
  Isa isa = best_isa();
};

class GenerationalBloom {
 public:
  explicit GenerationalBloom(const GenerationalOptions& options);

  // An instant that goes back counts as the latest before it, and is counted.
  bool test(std::uint64_t key, base::Instant now) const;
  bool first_test_then_set(std::uint64_t key, base::Instant now);
  // Remembers a key as of an earlier instant: an event that comes late, or from another filter. One
  // that has left the window is not remembered.
  void set(std::uint64_t key, base::Instant now, base::Instant at);
  void set(std::uint64_t key, base::Instant now) { set(key, now, now); }

  // distinct[i] answers for keys[i]; requires room for every answer. The same as one after another.
  void test(std::span<const std::uint64_t> keys, base::Instant now, std::span<bool> distinct) const;
  void first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                           std::span<bool> distinct);

  // Lets time pass. Every call above does so too.
  void advance(base::Instant now);

  // Of keys that were remembered and are not forgotten for certain.
  std::uint64_t live_key_count() const;
  bool empty() const { return live_key_count() == 0; }
  // To be expected for the next key, from its bits or from how many keys each generation has.
  double false_positives() const;

  const GenerationalOptions& options() const { return options_; }
  base::Instant now() const { return now_; }
  std::size_t memory_bytes() const;
  std::uint64_t clock_backward_count() const { return clock_backward_count_; }

  // Frame of kind G: docs/formats/bloom.md. The same window gives the same bytes.
  std::string save() const;
  void save(base::ByteWriter& writer) const;
  // Fails with kStoreCorrupt, also for more buckets than expected.
  static base::Result<GenerationalBloom> restore(std::string_view bytes,
                                                 std::uint64_t bucket_count_max = kBucketCountMax);

 private:
  // Epochs of which there may be keys: the oldest still there, up to the one that has begun.
  static constexpr std::uint64_t kCountedEpochs = kLaneCount + 1;

  // Where the boundary is: buckets below it belong to generation + 1, the others to generation.
  struct Position {
    std::uint64_t generation = 0;
    std::uint64_t boundary = 0;

    auto operator<=>(const Position&) const = default;
  };

  static std::int64_t origin_of(const GenerationalOptions& options);
  Position real_position(base::Instant at) const;
  std::optional<Position> position(base::Instant at) const;
  std::uint64_t epoch_of(std::uint64_t bucket, const Position& at) const {
    return at.generation + (bucket < at.boundary ? 1 : 0);
  }
  std::uint64_t bucket_of(std::uint64_t key) const;
  std::uint64_t* bucket_words(std::uint64_t bucket);
  const std::uint64_t* bucket_words(std::uint64_t bucket) const;
  std::uint32_t stale_lanes(std::uint64_t bucket, const Position& at) const;
  void move_to(base::Instant now, std::size_t key_count);
  void set_now(base::Instant now);
  void skip_silence(const Position& real);
  void sweep(std::size_t bucket_count_max);
  bool is_swept() const { return swept_ == target_; }
  void touch(std::uint64_t bucket);
  LanePass pass() const;
  std::uint32_t region_count() const;
  std::uint32_t region_buckets(std::uint32_t region) const;
  std::uint64_t& count_of(std::uint64_t epoch, std::uint64_t region) {
    return key_counts_[epoch % key_counts_.size()][region];
  }
  std::uint64_t count_of(std::uint64_t epoch, std::uint64_t region) const {
    return key_counts_[epoch % key_counts_.size()][region];
  }
  double bucket_hits(std::uint64_t bucket) const;
  double expected_hits(std::uint32_t region, std::uint64_t epoch, std::uint64_t bucket_count) const;
  bool has_epoch(std::uint64_t bucket, std::uint64_t epoch) const;
  bool is_epoch_empty(std::uint64_t epoch) const;
  void save_epoch(std::uint64_t epoch, base::ByteWriter& writer) const;
  bool restore_body(base::ByteReader& reader);
  bool restore_epoch(std::uint64_t epoch, base::ByteReader& reader);

  GenerationalOptions options_;
  std::uint64_t period_ns_;   // g
  std::uint32_t time_shift_;  // so that a part of the period times the buckets fits 64 bits
  std::int64_t origin_ns_;    // eight periods before the start: room for keys that come late
  const LaneKernels* kernels_;
  LineBuffer lines_;
  std::vector<std::uint16_t> epochs_;  // by bucket, the low bits of its epoch when last touched
  base::Instant now_;
  std::uint64_t skipped_ = 0;  // generations that passed in silence and were not counted
  Position target_;            // where the boundary should be now
  Position swept_;             // where it is: every bucket before it is up to date
  std::uint32_t region_shift_ = 0;
  // Keys set, by epoch and region: those of the last ten epochs.
  std::array<std::array<std::uint64_t, kRegionCount>, 16> key_counts_{};
  std::uint64_t newest_epoch_ = 0;
  std::uint64_t clock_backward_count_ = 0;
};

}  // namespace weir::bloom
