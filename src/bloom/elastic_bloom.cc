// SPDX-License-Identifier: Apache-2.0
#include "bloom/elastic_bloom.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr double kFirstKeyCount = 256;
// From one size to the next smaller one: shares fall more slowly than sizes, or small filters would
// have to be almost exact.
constexpr double kShareFactor = 0.7;
// Filters are larger than their keys need, so that a steady rate does not look like too much by
// chance.
constexpr double kHeadroom = 1.1;
// How often fullness is looked at: that many times while a filter fills.
constexpr double kLooksPerFilling = 64;
// A smaller filter is begun when the current one has at most this share of what the smaller holds.
constexpr double kShrinkBelow = 0.5;

constexpr base::Instant kNever{std::numeric_limits<std::int64_t>::min()};

base::Duration times(base::Duration duration, double factor) {
  const double product = static_cast<double>(duration.nanoseconds) * factor;
  return product < 9e18 ? base::Duration{static_cast<std::int64_t>(product)}
                        : base::Duration{std::numeric_limits<std::int64_t>::max()};
}

}  // namespace

ElasticBloom::ElasticBloom(const ElasticOptions& options)
    : options_(options), sizes_(ladder(options)), now_(kNever) {
  WEIR_CHECK(options.within.nanoseconds > 0);
  for (const Size& size : sizes_) memory_bytes_max_ += generational_bytes(size.shape);
}

std::vector<ElasticBloom::Size> ElasticBloom::ladder(const ElasticOptions& options) {
  std::vector<Size> sizes;
  for (double keys = kFirstKeyCount;; keys *= 2) {
    sizes.push_back({{}, keys, 0});
    if (keys >= static_cast<double>(options.key_count_max)) break;
  }
  sizes.back().key_count = static_cast<double>(std::max<std::uint64_t>(options.key_count_max, 1));
  double share = (1 - kShareFactor) * options.false_positives_max;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size, share *= kShareFactor) {
    size->false_positives = std::max(share, kFalsePositivesMin);
    size->shape = generational_shape(size->key_count * kHeadroom, size->false_positives);
  }
  return sizes;
}

base::Instant ElasticBloom::move_to(base::Instant now) {
  if (now < now_) ++clock_backward_count_;
  now_ = std::max(now_, now);
  if (stages_.empty()) begin_stage(0);
  for (const auto& stage : stages_) stage->filter.advance(now_);
  drop_empty();
  if (now_ >= current().look_at) shrink_if_empty();
  std::erase_if(forgotten_, [this](const auto& entry) { return entry.second <= now_; });
  return now_;
}

void ElasticBloom::begin_stage(std::size_t size) {
  const double keys = sizes_[size].key_count;
  full_ = false;
  stages_.push_back(std::make_unique<Stage>(
      Stage{size, static_cast<std::uint64_t>(std::max(1.0, keys / kLooksPerFilling)),
            now_ + options_.within,
            GenerationalBloom({.shape = sizes_[size].shape,
                               .within = options_.within,
                               .start = now_,
                               .refresh = options_.refresh,
                               .isa = options_.isa})}));
}

bool ElasticBloom::has_stage(std::size_t size) const {
  return std::ranges::any_of(stages_, [size](const auto& stage) { return stage->size == size; });
}

void ElasticBloom::drop_empty() {
  const auto keep = std::prev(stages_.end());
  const auto gone = std::remove_if(stages_.begin(), keep,
                                   [](const auto& stage) { return stage->filter.empty(); });
  stages_.erase(gone, keep);
}

// Once the current stage has taken keys for a whole window, and then once per window.
void ElasticBloom::shrink_if_empty() {
  current().look_at = now_ + options_.within;
  const auto keys = static_cast<double>(current().filter.live_key_count());
  for (std::size_t size = 0; size < current().size; ++size) {
    if (keys > kShrinkBelow * sizes_[size].key_count || has_stage(size)) continue;
    begin_stage(size);
    drop_empty();
    return;
  }
}

// Looks at how full the current stage is, every so many keys.
void ElasticBloom::after_set() {
  Stage& stage = current();
  if (--stage.countdown > 0) return;
  const Size& size = sizes_[stage.size];
  stage.countdown = static_cast<std::uint64_t>(std::max(1.0, size.key_count / kLooksPerFilling));
  full_ = stage.filter.false_positives() > size.false_positives;
  if (!full_) return;
  for (std::size_t next = stage.size + 1; next < sizes_.size(); ++next) {
    if (!has_stage(next)) return begin_stage(next);
  }
}

bool ElasticBloom::is_forgotten(std::uint64_t key) const {
  return !forgotten_.empty() && forgotten_.contains(key);
}

bool ElasticBloom::found_elsewhere(std::uint64_t key) const {
  for (std::size_t i = 0; i + 1 < stages_.size(); ++i) {
    if (!stages_[i]->filter.test(key, now_)) return true;
  }
  return false;
}

bool ElasticBloom::test(std::uint64_t key, base::Instant now) const {
  if (is_forgotten(key)) return true;
  return std::ranges::all_of(
      stages_, [&](const auto& stage) { return stage->filter.test(key, std::max(now, now_)); });
}

bool ElasticBloom::first_test_then_set(std::uint64_t key, base::Instant now) {
  move_to(now);
  const bool forgotten = is_forgotten(key);
  const bool distinct = forgotten || (current().filter.test(key, now_) && !found_elsewhere(key));
  if (distinct || options_.refresh) insert(key);
  if (forgotten) forgotten_.erase(key);
  return distinct;
}

void ElasticBloom::insert(std::uint64_t key) {
  if (full_) {
    // Time may have made room.
    full_ = current().filter.false_positives() > sizes_[current().size].false_positives;
  }
  if (full_) {
    ++overflow_count_;
    return;
  }
  current().filter.set(key, now_);
  after_set();
}

void ElasticBloom::first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                                       std::span<bool> distinct) {
  WEIR_CHECK(distinct.size() >= keys.size());
  std::size_t i = 0;
  while (i < keys.size()) {
    move_to(now);
    // As many as are sure not to fill the stage go in one pass.
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(keys.size() - i, current().countdown - 1));
    if (stages_.size() > 1 || !forgotten_.empty() || full_ || count < 2) {
      distinct[i] = first_test_then_set(keys[i], now_);
      ++i;
      continue;
    }
    current().filter.first_test_then_set(keys.subspan(i, count), now_, distinct.subspan(i, count));
    const auto answers = distinct.subspan(i, count);
    current().countdown -=
        options_.refresh ? count : static_cast<std::uint64_t>(std::ranges::count(answers, true));
    i += count;
  }
}

base::Result<bool> ElasticBloom::forget(std::uint64_t key, base::Instant now) {
  move_to(now);
  if (test(key, now_)) return false;
  if (forgotten_.size() >= kForgottenCountMax) {
    return base::Error{base::ErrorId::kEngineTooManyForgotten,
                       "too many keys were forgotten within a window", std::nullopt};
  }
  forgotten_[key] = now_ + times(options_.within, 9.0 / 7);
  return true;
}

std::uint64_t ElasticBloom::live_key_count() const {
  std::uint64_t count = 0;
  for (const auto& stage : stages_) count += stage->filter.live_key_count();
  return count;
}

double ElasticBloom::false_positives() const {
  double none = 1;
  for (const auto& stage : stages_) none *= 1 - stage->filter.false_positives();
  return 1 - none;
}

std::size_t ElasticBloom::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& stage : stages_) bytes += stage->filter.memory_bytes();
  return bytes;
}

}  // namespace weir::bloom
