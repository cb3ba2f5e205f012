// SPDX-License-Identifier: Apache-2.0
#include "bloom/elastic_bloom.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr double kFirstKeyCount = 2 * ElasticBloom::kListCountMax;
// From one size to the next smaller one: shares fall more slowly than sizes, or small filters would
// have to be almost exact.
constexpr double kShareFactor = 0.7;
// A filter holds its keys if they come evenly over the window. If they all come at once, they are
// in one of eight lanes, and less than a fifth of them have room; sizes up to this many times the
// keys together hold two thirds of them even then.
constexpr double kBurstFactor = 2;
// Filters are larger than their keys need, so that a steady rate does not look like too much by
// chance.
constexpr double kHeadroom = 1.1;
// How often fullness is looked at: that many times while a filter fills.
constexpr double kLooksPerFilling = 256;
// A smaller filter is begun when the current one has at most this share of what the smaller holds.
constexpr double kShrinkBelow = 0.5;

// How often filters that are empty are looked for in a window.
constexpr std::int64_t kTidyingsPerWindow = 64;

constexpr base::Instant kNever{std::numeric_limits<std::int64_t>::min()};

base::Duration times(base::Duration duration, double factor) {
  const double product = static_cast<double>(duration.nanoseconds) * factor;
  return product < 9e18 ? base::Duration{static_cast<std::int64_t>(product)}
                        : base::Duration{std::numeric_limits<std::int64_t>::max()};
}

}  // namespace

ElasticBloom::ElasticBloom(const ElasticOptions& options)
    : options_(options),
      sizes_(ladder(options)),
      tidy_ns_(std::max<std::int64_t>(1, options.within.nanoseconds / kTidyingsPerWindow)),
      now_(kNever) {
  WEIR_CHECK(options.within.nanoseconds > 0);
  memory_bytes_max_ = 2 * kListCountMax * sizeof(RecentKeys::Entry);
  for (const Size& size : sizes_) memory_bytes_max_ += generational_bytes(size.shape);
}

// From the largest down; none if the list is enough.
std::vector<ElasticBloom::Size> ElasticBloom::ladder(const ElasticOptions& options) {
  std::vector<Size> sizes;
  if (options.key_count_max <= kListCountMax) return sizes;
  double share = (1 - kShareFactor) * options.false_positives_max;
  double keys = kBurstFactor * static_cast<double>(options.key_count_max);
  while (sizes.empty() || keys >= kFirstKeyCount) {
    const double false_positives = std::max(share, kFalsePositivesMin);
    sizes.push_back({generational_shape(keys * kHeadroom, false_positives), keys, false_positives});
    share *= kShareFactor;
    keys /= 2;
  }
  std::ranges::reverse(sizes);
  return sizes;
}

void ElasticBloom::move_to(base::Instant now) {
  if (now < now_) ++clock_backward_count_;
  const std::int64_t tidied = now_.nanoseconds / tidy_ns_;
  now_ = std::max(now_, now);
  list_.expire(expired_at(now_));
  for (const auto& stage : stages_) stage->filter.advance(now_);
  if (now_.nanoseconds / tidy_ns_ == tidied) return;
  drop_empty();
  if (!to_list_ && now_ >= current()->look_at) shrink_if_empty();
  std::erase_if(forgotten_, [this](const auto& entry) { return entry.second <= now_; });
}

// What was seen then or before has left the window.
base::Instant ElasticBloom::expired_at(base::Instant now) const {
  return now + base::Duration{-options_.within.nanoseconds};
}

// Of that size or the next larger one that there is none of; false if all are in use.
bool ElasticBloom::begin_stage(std::size_t size_min) {
  for (std::size_t size = size_min; size < sizes_.size(); ++size) {
    if (has_stage(size)) continue;
    stages_.push_back(
        std::make_unique<Stage>(Stage{size, keys_between_looks(size), now_ + options_.within,
                                      GenerationalBloom({.shape = sizes_[size].shape,
                                                         .within = options_.within,
                                                         .start = now_,
                                                         .refresh = options_.refresh,
                                                         .isa = options_.isa})}));
    return true;
  }
  return false;
}

bool ElasticBloom::has_stage(std::size_t size) const {
  return std::ranges::any_of(stages_, [size](const auto& stage) { return stage->size == size; });
}

std::uint64_t ElasticBloom::keys_between_looks(std::size_t size) const {
  return static_cast<std::uint64_t>(std::max(1.0, sizes_[size].key_count / kLooksPerFilling));
}

void ElasticBloom::drop_empty() {
  if (stages_.empty()) return;
  const auto old_end = to_list_ ? stages_.end() : std::prev(stages_.end());
  const auto gone = std::remove_if(stages_.begin(), old_end,
                                   [](const auto& stage) { return stage->filter.empty(); });
  stages_.erase(gone, old_end);
}

// Once the current stage has taken keys for a whole window, and then once per window.
void ElasticBloom::shrink_if_empty() {
  Stage& stage = *current();
  stage.look_at = now_ + options_.within;
  const auto keys = static_cast<double>(stage.filter.live_key_count());
  if (keys <= kShrinkBelow * kListCountMax) {
    to_list_ = true;
    drop_empty();
    return;
  }
  for (std::size_t size = 0; size < stage.size; ++size) {
    if (keys > kShrinkBelow * sizes_[size].key_count || has_stage(size)) continue;
    begin_stage(size);
    return;
  }
}

// One filter decides alone.
bool ElasticBloom::is_plain() const {
  return !to_list_ && stages_.size() == 1 && forgotten_.empty();
}

bool ElasticBloom::is_forgotten(std::uint64_t key) const {
  return !forgotten_.empty() && forgotten_.contains(key);
}

bool ElasticBloom::test(std::uint64_t key, base::Instant now) const {
  now = std::max(now, now_);
  if (is_forgotten(key)) return true;
  const base::Instant* const listed = list_.find(key);
  if (listed != nullptr && *listed > expired_at(now)) return false;
  return std::ranges::all_of(stages_,
                             [&](const auto& stage) { return stage->filter.test(key, now); });
}

bool ElasticBloom::first_test_then_set(std::uint64_t key, base::Instant now) {
  move_to(now);
  if (is_plain() && current()->countdown > 1) {
    const bool distinct = current()->filter.first_test_then_set(key, now_);
    if (distinct || options_.refresh) --current()->countdown;
    return distinct;
  }
  const bool distinct = test(key, now_);
  if (distinct || options_.refresh) insert(key);
  return distinct;
}

void ElasticBloom::insert(std::uint64_t key) {
  if (to_list_) {
    insert_into_list(key);
  } else {
    insert_into_stage({key, now_});
  }
}

// A list that is full moves to a filter as it is.
void ElasticBloom::insert_into_list(std::uint64_t key) {
  list_.remove(key);
  if (list_.size() < std::min<std::uint64_t>(kListCountMax, options_.key_count_max)) {
    list_.append({key, now_});
    forgotten_.erase(key);
    return;
  }
  if (options_.key_count_max <= kListCountMax || !begin_stage(0)) {
    ++overflow_count_;
    return;
  }
  to_list_ = false;
  const RecentKeys moved = std::exchange(list_, {});
  for (std::size_t i = 0; i < moved.size(); ++i) insert_into_stage(moved.entry(i));
  insert_into_stage({key, now_});
}

bool ElasticBloom::is_full(const Stage& stage) const {
  return stage.filter.false_positives() > sizes_[stage.size].false_positives;
}

// Looks at how full the filter is only every so many keys.
void ElasticBloom::insert_into_stage(const RecentKeys::Entry& entry) {
  if (--current()->countdown == 0) {
    Stage& stage = *current();
    stage.countdown = keys_between_looks(stage.size);
    // Of eight generations that are remembered, seven are certain to be in the window.
    const bool too_many = live_key_count() / 8 * 7 >= options_.key_count_max;
    if (too_many || (is_full(stage) && !begin_stage(stage.size + 1))) {
      stage.countdown = 1;
      ++overflow_count_;
      return;
    }
  }
  current()->filter.set(entry.key, now_, entry.at);
  forgotten_.erase(entry.key);
}

void ElasticBloom::first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                                       std::span<bool> distinct) {
  WEIR_CHECK(distinct.size() >= keys.size());
  move_to(now);
  std::size_t i = 0;
  while (i < keys.size()) {
    // As many as are sure not to fill the only filter go in one pass.
    const auto count = is_plain() ? static_cast<std::size_t>(std::min<std::uint64_t>(
                                        keys.size() - i, current()->countdown - 1))
                                  : 0;
    if (count < 2) {
      distinct[i] = first_test_then_set(keys[i], now_);
      ++i;
      continue;
    }
    const auto answers = distinct.subspan(i, count);
    current()->filter.first_test_then_set(keys.subspan(i, count), now_, answers);
    current()->countdown -=
        options_.refresh ? count : static_cast<std::uint64_t>(std::ranges::count(answers, true));
    i += count;
  }
}

base::Result<bool> ElasticBloom::forget(std::uint64_t key, base::Instant now) {
  move_to(now);
  if (test(key, now_)) return false;
  const bool listed = list_.remove(key);
  if (listed && test(key, now_)) return true;
  if (forgotten_.size() >= kForgottenCountMax) {
    return base::Error{base::ErrorId::kEngineTooManyForgotten,
                       "too many keys were forgotten within a window", std::nullopt};
  }
  forgotten_[key] = now_ + times(options_.within, 9.0 / 7);
  return true;
}

std::uint64_t ElasticBloom::live_key_count() const {
  std::uint64_t count = list_.size();
  for (const auto& stage : stages_) count += stage->filter.live_key_count();
  return count;
}

double ElasticBloom::false_positives() const {
  double none = 1;
  for (const auto& stage : stages_) none *= 1 - stage->filter.false_positives();
  return 1 - none;
}

std::size_t ElasticBloom::memory_bytes() const {
  std::size_t bytes = list_.memory_bytes();
  for (const auto& stage : stages_) bytes += stage->filter.memory_bytes();
  return bytes;
}

}  // namespace weir::bloom
