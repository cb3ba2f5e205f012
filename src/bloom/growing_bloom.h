// SPDX-License-Identifier: Apache-2.0
// GrowingBloom: filters, called stages, of which the newest takes the keys; when it is full, the
// next is added, so that memory follows the number of keys (paper 000, section 5).
//
//   stage    0        1                2  newest
//          [####]  [########]  [##..............]     factor 2; # cells that are set
//
// Lookups ask all stages, newest first. Stages are ClassicBloom, or TimerBloom, whose stages empty
// themselves: an emptied one is dropped, and when all are empty the first shape starts again. A
// stage that is not the newest never takes a key again.
//
// False positives: at most P per stage, so at most J*P for J stages; plan_growth() shares a total
// evenly. With factor 1 (the paper's) growth by 1000 takes 1000 stages; with factor 2 (ours) ten.
// When stage_count_max is reached, the newest just gets fuller; overfull_count() tells. A shape
// with factor f has first * f^i cells where i stages are alive when it is added, so that windows
// which refill for ever stay bounded.
//
// Costs a lookup per stage. Single-threaded.
//
//   GrowingBloom<ClassicBloom> seen(plan_growth({.first_key_count = 1000}));
//   if (seen.test_and_set(key)) deliver(event);
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "bloom/classic_bloom.h"
#include "bloom/growth.h"
#include "bloom/probe.h"
#include "bloom/timer_bloom.h"

namespace weir::bloom {

template <typename Stage>
class GrowingBloom {
  static constexpr bool kTimed = std::is_same_v<Stage, TimerBloom>;

 public:
  // Require a ClassicBloom's shape, a rate in (0, 1), factor <= kGrowthFactorMax and
  // stage_count_max <= kStageCountMax, both at least 1; and what TimerBloom requires.
  explicit GrowingBloom(const GrowingOptions& options)
    requires(!kTimed);
  GrowingBloom(const GrowingOptions& options, const TimerOptions& timers)
    requires(kTimed);

  bool test(std::uint64_t key) const
    requires(!kTimed);
  // A key that is seen is not set again.
  void set(std::uint64_t key)
    requires(!kTimed)
  {
    test_and_set(key);
  }
  bool test_and_set(std::uint64_t key)
    requires(!kTimed);
  bool first_test_then_set(std::uint64_t key)
    requires(!kTimed)
  {
    return test_and_set(key);
  }
  // distinct[i] answers for keys[i]; requires room for every answer. The same as one after another.
  void test(std::span<const std::uint64_t> keys, std::span<bool> distinct) const
    requires(!kTimed);
  void test_and_set(std::span<const std::uint64_t> keys, std::span<bool> distinct)
    requires(!kTimed);

  // As of TimerBloom.
  bool test(std::uint64_t key, base::Instant now) const
    requires(kTimed);
  void set(std::uint64_t key, base::Instant now)
    requires(kTimed);
  void set(std::uint64_t key, base::Instant now, base::Instant at)
    requires(kTimed);
  bool first_test_then_set(std::uint64_t key, base::Instant now)
    requires(kTimed);
  bool first_test_then_set(std::uint64_t key, base::Instant now, base::Instant at)
    requires(kTimed);
  void first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                           std::span<bool> distinct)
    requires(kTimed);
  // What every call that sets does first: expires what is over, drops stages.
  void advance(base::Instant now)
    requires(kTimed);
  bool empty(base::Instant now) const
    requires(kTimed);
  std::uint64_t clock_backward_count() const
    requires(kTimed)
  {
    return clock_backward_count_;
  }

  const GrowingOptions& options() const { return options_; }
  std::size_t stage_count() const { return stages_.size(); }
  // Oldest first.
  const Stage& stage(std::size_t index) const { return stages_[index].filter; }
  // Keys that the stage has taken since it was last empty.
  std::uint64_t stage_key_count(std::size_t index) const { return stages_[index].key_count; }
  // Keys that the stages which are there have taken.
  std::uint64_t key_count() const;
  // Keys that went to a full stage because there may be no more stages.
  std::uint64_t overfull_count() const { return overfull_count_; }
  std::size_t memory_bytes() const;

  // Frame of kind W: docs/formats/bloom.md.
  std::string save() const;
  // Fails with kStoreCorrupt, also for stages of the other type.
  static base::Result<GrowingBloom> restore(std::string_view bytes);

 private:
  using StageOptions = std::conditional_t<kTimed, TimerOptions, std::monostate>;

  struct Entry {
    Stage filter;
    std::uint64_t key_count = 0;
    double full_count;  // cells or keys, by the rule, above which it is full
  };

  // Without a stage, to be filled.
  GrowingBloom(const GrowingOptions& options, const StageOptions& stage_options, bool valid);

  bool is_distinct(std::uint64_t key, base::Instant now) const;
  bool is_full(const Entry& entry) const;
  // Whether the stage at this index can have the shape.
  bool has_shape(std::size_t index, const BloomShape& shape) const;
  void add_stage();
  // The stage that takes the next key.
  Stage& take_key();
  void put(std::uint64_t key, base::Instant at);
  void drop_empty();
  bool read_stage(std::uint64_t key_count, std::string_view body);

  GrowingOptions options_;
  StageOptions stage_options_;
  std::vector<Entry> stages_;  // never empty, oldest first
  std::uint64_t overfull_count_ = 0;
  // Of windows only; no stage is ahead of it or behind.
  base::Instant latest_{std::numeric_limits<std::int64_t>::min()};
  std::uint64_t clock_backward_count_ = 0;
};

extern template class GrowingBloom<ClassicBloom>;
extern template class GrowingBloom<TimerBloom>;

}  // namespace weir::bloom
