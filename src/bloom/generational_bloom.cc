// SPDX-License-Identifier: Apache-2.0
#include "bloom/generational_bloom.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "bloom/probe.h"

namespace weir::bloom {
namespace {

// Parts of the window: all lanes but the one that is being filled.
constexpr std::uint64_t kPartCount = kLaneCount - 1;
// After so many generations nothing is left of the oldest.
constexpr std::uint64_t kGoneAfter = kLaneCount + 1;
// Lines that one call clears at most when it has to catch up, and more for each key it is given.
constexpr std::size_t kSweepLinesMax = 2048;
constexpr std::size_t kSweepLinesPerKey = 8;

__extension__ using Wide = unsigned __int128;

}  // namespace

GenerationalBloom::GenerationalBloom(const GenerationalOptions& options)
    : options_(options),
      period_ns_((static_cast<std::uint64_t>(options.within.nanoseconds) + kPartCount - 1) /
                 kPartCount),
      origin_ns_(origin_of(options)),
      kernels_(&lane_kernels(options.isa, options.shape.line_count)),
      lines_(std::size_t{options.shape.bucket_count} * options.shape.line_count),
      now_(options.start) {
  WEIR_CHECK(options.within.nanoseconds > 0);
  WEIR_CHECK(options.shape.bucket_count >= 1 && options.shape.bucket_count <= kBucketCountMax);
  target_ = swept_ = real_position(now_);
  newest_epoch_ = target_.generation + 1;
  epochs_.assign(options.shape.bucket_count, 0);
  for (std::size_t i = 0; i < epochs_.size(); ++i) {
    epochs_[i] = static_cast<std::uint16_t>(epoch_of(i, target_));
  }
}

std::int64_t GenerationalBloom::origin_of(const GenerationalOptions& options) {
  const std::int64_t period =
      options.within.nanoseconds / static_cast<std::int64_t>(kPartCount) + 1;
  const base::Duration room =
      options.within.nanoseconds > std::numeric_limits<std::int64_t>::max() / 2
          ? base::Duration{std::numeric_limits<std::int64_t>::max()}
          : base::Duration{period * kLaneCount};
  return (options.start + base::Duration{-room.nanoseconds}).nanoseconds;
}

// Requires an instant that is not before the origin.
GenerationalBloom::Position GenerationalBloom::real_position(base::Instant at) const {
  const std::uint64_t passed_ns =
      static_cast<std::uint64_t>(at.nanoseconds) - static_cast<std::uint64_t>(origin_ns_);
  const Wide fraction = static_cast<Wide>(passed_ns % period_ns_) * options_.shape.bucket_count;
  return {passed_ns / period_ns_, static_cast<std::uint64_t>(fraction / period_ns_)};
}

// As epochs are numbered; none for an instant of which nothing can be left.
std::optional<GenerationalBloom::Position> GenerationalBloom::position(base::Instant at) const {
  if (at.nanoseconds < origin_ns_) return std::nullopt;
  Position position = real_position(at);
  if (position.generation < skipped_) return std::nullopt;
  position.generation -= skipped_;
  return position;
}

std::uint64_t GenerationalBloom::bucket_of(std::uint64_t key) const {
  return reduce(key, options_.shape.bucket_count);
}

std::uint64_t* GenerationalBloom::bucket_words(std::uint64_t bucket) {
  return lines_.data() + bucket * options_.shape.line_count * kLineWords;
}

const std::uint64_t* GenerationalBloom::bucket_words(std::uint64_t bucket) const {
  return lines_.data() + bucket * options_.shape.line_count * kLineWords;
}

// A bit for each lane that holds what a bucket should have forgotten by then.
std::uint32_t GenerationalBloom::stale_lanes(std::uint64_t bucket, const Position& at) const {
  const std::uint64_t epoch = epoch_of(bucket, at);
  const auto behind = static_cast<std::uint16_t>(epoch - epochs_[bucket]);
  if (behind == 0) return 0;
  if (behind >= kLaneCount) return (1U << kLaneCount) - 1;
  std::uint32_t lanes = 0;
  for (std::uint64_t i = 0; i < behind; ++i) lanes |= 1U << ((epoch - i) % kLaneCount);
  return lanes;
}

bool GenerationalBloom::test(std::uint64_t key, base::Instant now) const {
  const Position at = *position(std::max(now, now_));
  if (at.generation > target_.generation + kGoneAfter) return true;
  const std::uint64_t bucket = bucket_of(key);
  return (kernels_->find(bucket_words(bucket), key) & ~stale_lanes(bucket, at)) == 0;
}

bool GenerationalBloom::first_test_then_set(std::uint64_t key, base::Instant now) {
  bool distinct = false;
  first_test_then_set({&key, 1}, now, {&distinct, 1});
  return distinct;
}

void GenerationalBloom::set(std::uint64_t key, base::Instant now, base::Instant at) {
  move_to(now, 1);
  const std::uint64_t bucket = bucket_of(key);
  const std::uint64_t newest = epoch_of(bucket, target_);
  const auto then = position(std::min(at, now_));
  if (!then || newest - epoch_of(bucket, *then) >= kLaneCount) return;
  touch(bucket);
  const std::uint64_t epoch = epoch_of(bucket, *then);
  const auto lane = static_cast<std::uint32_t>(epoch % kLaneCount);
  std::uint64_t* const words = bucket_words(bucket);
  if ((kernels_->find(words, key) >> lane & 1U) != 0) return;
  kernels_->set(words, lane, key);
  count(epoch, 1);
}

void GenerationalBloom::test(std::span<const std::uint64_t> keys, base::Instant now,
                             std::span<bool> distinct) const {
  WEIR_CHECK(distinct.size() >= keys.size());
  if (is_swept() && *position(std::max(now, now_)) == target_) {
    const LanePass pass = {const_cast<std::uint64_t*>(lines_.data()),
                           options_.shape.bucket_count,
                           target_.boundary,
                           target_.generation,
                           options_.refresh,
                           {}};
    kernels_->test_all(pass, keys.data(), keys.size(), distinct.data());
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) distinct[i] = test(keys[i], now);
}

void GenerationalBloom::first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                                            std::span<bool> distinct) {
  WEIR_CHECK(distinct.size() >= keys.size());
  move_to(now, keys.size());
  if (!is_swept()) {
    for (const std::uint64_t key : keys) touch(bucket_of(key));
  }
  LanePass pass = {lines_.data(),    options_.shape.bucket_count,
                   target_.boundary, target_.generation,
                   options_.refresh, {}};
  kernels_->test_then_set_all(pass, keys.data(), keys.size(), distinct.data());
  count(target_.generation, pass.set_count[0]);
  count(target_.generation + 1, pass.set_count[1]);
}

void GenerationalBloom::advance(base::Instant now) { move_to(now, 0); }

void GenerationalBloom::move_to(base::Instant now, std::size_t key_count) {
  if (now < now_) ++clock_backward_count_;
  now_ = std::max(now_, now);
  const Position real = real_position(now_);
  if (real.generation - skipped_ > target_.generation + kGoneAfter) skip_silence(real);
  target_ = {real.generation - skipped_, real.boundary};
  for (; newest_epoch_ < target_.generation + 1; ++newest_epoch_) {
    key_counts_[(newest_epoch_ + 1) % key_counts_.size()] = 0;
  }
  sweep((kSweepLinesMax + kSweepLinesPerKey * key_count) / options_.shape.line_count);
}

// All that was remembered is over. Epochs go on from just beyond that, so that the few bits which a
// bucket keeps of its epoch are enough however long the silence was.
void GenerationalBloom::skip_silence(const Position& real) {
  skipped_ = real.generation - target_.generation - kGoneAfter;
}

// Brings the next buckets up to date, round and round. One round is enough, however far behind.
void GenerationalBloom::sweep(std::size_t bucket_count_max) {
  if (target_.generation > swept_.generation + 2) {
    swept_.generation = target_.generation - (swept_.boundary <= target_.boundary ? 1 : 2);
  }
  for (std::size_t i = 0; i < bucket_count_max && swept_ < target_; ++i) {
    touch(swept_.boundary);
    if (++swept_.boundary == options_.shape.bucket_count) swept_ = {swept_.generation + 1, 0};
  }
}

void GenerationalBloom::touch(std::uint64_t bucket) {
  const std::uint32_t stale = stale_lanes(bucket, target_);
  if (stale == 0) return;
  std::uint64_t* const words = bucket_words(bucket);
  for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
    if ((stale >> lane & 1U) == 0) continue;
    for (std::uint32_t line = 0; line < options_.shape.line_count; ++line) {
      words[line * kLineWords + lane] = 0;
    }
  }
  epochs_[bucket] = static_cast<std::uint16_t>(epoch_of(bucket, target_));
}

void GenerationalBloom::count(std::uint64_t epoch, std::uint64_t key_count) {
  key_counts_[epoch % key_counts_.size()] += key_count;
}

std::uint64_t GenerationalBloom::counted(std::uint64_t epoch) const {
  return key_counts_[epoch % key_counts_.size()];
}

double GenerationalBloom::boundary_fraction() const {
  return static_cast<double>(target_.boundary) / options_.shape.bucket_count;
}

double GenerationalBloom::live_key_count() const {
  const std::uint64_t generation = target_.generation;
  std::uint64_t whole = counted(generation + 1);
  for (std::uint64_t age = 0; age < kPartCount; ++age) whole += counted(generation - age);
  const auto oldest = static_cast<double>(counted(generation - kPartCount));
  return static_cast<double>(whole) + oldest * (1 - boundary_fraction());
}

// Buckets on one side of the boundary have begun the newest generation, the others still have the
// oldest.
double GenerationalBloom::false_positives() const {
  const auto rate = [this](std::uint64_t epoch, double share) {
    if (share == 0 || counted(epoch) == 0) return 0.0;
    const double lambda = static_cast<double>(counted(epoch)) / options_.shape.bucket_count;
    return generational_lane_false_positives(lambda, options_.shape.line_count);
  };
  const std::uint64_t generation = target_.generation;
  const double ahead = boundary_fraction();
  double none = 1 - (1 - ahead) * rate(generation - kPartCount, 1 - ahead);
  for (std::uint64_t age = 0; age < kPartCount; ++age) none *= 1 - rate(generation - age, 1);
  if (ahead > 0 && counted(generation + 1) > 0) {
    const double lambda =
        static_cast<double>(counted(generation + 1)) / (ahead * options_.shape.bucket_count);
    none *= 1 - ahead * generational_lane_false_positives(lambda, options_.shape.line_count);
  }
  return 1 - none;
}

std::size_t GenerationalBloom::memory_bytes() const {
  return lines_.bytes() + epochs_.capacity() * sizeof(std::uint16_t);
}

}  // namespace weir::bloom
