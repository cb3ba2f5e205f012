// SPDX-License-Identifier: Apache-2.0
// ElasticBloom: a sliding window of keys that needs to be told no rate: it grows and shrinks
// between bounds that are known when it is made.
//
// Guarantees: a key is remembered for at least the window and at most a seventh longer; others are
// called seen with at most the probability asked for, whatever the rate does; memory never exceeds
// memory_bytes_max(). Beyond key_count_max keys alive (two thirds of them, if they all come at
// once) new ones are called distinct and not remembered, and counted: nothing distinct is dropped
// for lack of room.
//
// A list, and a ladder of sizes, each twice the one before, at most one GenerationalBloom of each:
//
//   size            list   0      1      2 ...     top
//   keys            256    >512   ...    x 2       2 key_count_max, for bursts
//   its share of P  0      ...  x 0.7  x 0.7       0.3      the shares add up to less than P
//
// Keys go to one of them. A few keys stand in a list with their instants, and leave it exactly at
// the end of their window. When the list is full, they move to a filter; when a filter is as full
// as its share allows, a larger one takes its place: the old one is only asked, and given back when
// its last key has left the window. When the one in use has been nearly empty for a window, a
// smaller one takes its place. Paper 000, section 5, adds filters of one shape and one rate: there
// n filters have n times the false positives.
//
// forget() cannot clear bits, as other keys may need them: the key stands on a short list, which is
// asked first, until its bits are gone. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/instant.h"
#include "base/result.h"
#include "bloom/generational_bloom.h"
#include "bloom/recent_keys.h"

namespace weir::bloom {

inline constexpr std::uint64_t kElasticKeyCountMax = std::uint64_t{1} << 40U;

struct ElasticOptions {
  base::Duration within;
  bool refresh = false;  // a duplicate starts its key's window anew
  double false_positives_max = 1e-6;
  std::uint64_t key_count_max = 10'000'000;  // alive
  Isa isa = best_isa();
};

class ElasticBloom {
 public:
  static constexpr std::size_t kForgottenCountMax = 10'000;
  static constexpr std::size_t kListCountMax = 256;

  explicit ElasticBloom(const ElasticOptions& options);

  // An instant that goes back counts as the latest before it, and is counted.
  bool test(std::uint64_t key, base::Instant now) const;
  // Only lets time pass: a window that has ended takes no memory any more.
  void advance(base::Instant now) { move_to(now); }
  bool first_test_then_set(std::uint64_t key, base::Instant now);
  void first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                           std::span<bool> distinct);
  // The key is distinct again. True if it was remembered. Fails with kLimit if too many keys were
  // forgotten within a window.
  base::Result<bool> forget(std::uint64_t key, base::Instant now);

  // Filters, without the list.
  std::size_t stage_count() const { return stages_.size(); }
  std::uint64_t live_key_count() const;
  // To be expected for the next key.
  double false_positives() const;
  std::uint64_t overflow_count() const { return overflow_count_; }
  std::uint64_t clock_backward_count() const { return clock_backward_count_; }
  std::size_t memory_bytes() const;
  // What all sizes take together: the bound.
  std::size_t memory_bytes_max() const { return memory_bytes_max_; }
  const ElasticOptions& options() const { return options_; }

  // Frame of kind E: docs/formats/bloom.md. The same window gives the same bytes.
  std::string save() const;
  void save(base::ByteWriter& writer) const;
  // Takes what a window of the same span and refreshing gave, and goes on with its bounds. Fails
  // with kStoreCorrupt.
  static base::Result<ElasticBloom> restore(const ElasticOptions& options, std::string_view bytes);
  // The latest instant that a window has seen; the least there is if none.
  base::Instant now() const { return now_; }

 private:
  // One rung of the ladder.
  struct Size {
    GenerationalShape shape;
    double key_count;
    double false_positives;
  };
  struct Stage {
    std::size_t size;
    std::uint64_t countdown;  // keys until its fullness is looked at again
    base::Instant look_at;    // when it is asked whether a smaller one would do
    GenerationalBloom filter;
  };

  static std::vector<Size> ladder(const ElasticOptions& options);
  void move_to(base::Instant now);
  base::Instant expired_at(base::Instant now) const;
  // The filter that takes the keys; null: the list does.
  Stage* current() { return to_list_ ? nullptr : stages_.back().get(); }
  bool begin_stage(std::size_t size_min);
  bool has_stage(std::size_t size) const;
  void drop_empty();
  void shrink_if_empty();
  void insert(std::uint64_t key);
  void insert_into_list(std::uint64_t key);
  void insert_into_stage(const RecentKeys::Entry& entry);
  bool is_full(const Stage& stage) const;
  std::uint64_t keys_between_looks(std::size_t size) const;
  bool is_plain() const;
  bool is_forgotten(std::uint64_t key) const;
  bool restore_stages(base::ByteReader& reader);
  bool restore_list(base::ByteReader& reader);
  bool restore_forgotten(base::ByteReader& reader);

  ElasticOptions options_;
  std::vector<Size> sizes_;
  std::int64_t tidy_ns_;
  std::size_t memory_bytes_max_ = 0;
  RecentKeys list_;
  bool to_list_ = true;
  std::vector<std::unique_ptr<Stage>> stages_;        // oldest first; the last takes the keys
  std::map<std::uint64_t, base::Instant> forgotten_;  // until its bits are gone
  base::Instant now_;
  bool full_ = false;  // the largest stage takes no more keys for now
  std::uint64_t overflow_count_ = 0;
  std::uint64_t clock_backward_count_ = 0;
};

}  // namespace weir::bloom
