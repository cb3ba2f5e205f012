// SPDX-License-Identifier: Apache-2.0
#include "bloom/generational_bloom.h"

#include <algorithm>
#include <bit>
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

// Below 16 buckets the number of keys in a region would tell more of chance than of the rate.
constexpr std::uint32_t kRegionShiftMin = 4;

// Up to so many buckets false positives are estimated from every bit.
constexpr std::uint32_t kCountedBucketsMax = 256;

// Buckets have 22 bits, so that parts of a period may have 42: of a longer one the low bits, which
// are far less than the time between two buckets, are left out.
constexpr std::uint32_t kTimeBitsMax = 42;
static_assert(kBucketCountMax == 1U << (64 - kTimeBitsMax));

std::uint32_t time_shift_of(std::uint64_t period_ns) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(period_ns));
  return bits > kTimeBitsMax ? bits - kTimeBitsMax : 0;
}

}  // namespace

GenerationalBloom::GenerationalBloom(const GenerationalOptions& options)
    : options_(options),
      period_ns_((static_cast<std::uint64_t>(options.within.nanoseconds) + kPartCount - 1) /
                 kPartCount),
      time_shift_(time_shift_of(period_ns_)),
      origin_ns_(origin_of(options)),
      kernels_(&lane_kernels(options.isa, options.shape.line_count)),
      lines_(std::size_t{options.shape.bucket_count} * options.shape.line_count),
      now_(options.start) {
  WEIR_CHECK(options.within.nanoseconds > 0);
  WEIR_CHECK(options.shape.bucket_count >= 1 && options.shape.bucket_count <= kBucketCountMax);
  while ((options.shape.bucket_count - 1) >> region_shift_ >= kRegionCount) ++region_shift_;
  region_shift_ = std::max(region_shift_, kRegionShiftMin);
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
  const std::uint64_t share = (passed_ns % period_ns_) >> time_shift_;
  const std::uint64_t whole = (period_ns_ >> time_shift_) + (time_shift_ > 0 ? 1 : 0);
  return {passed_ns / period_ns_, share * options_.shape.bucket_count / whole};
}

// As epochs are numbered; none for an instant of which nothing can be left.
std::optional<GenerationalBloom::Position> GenerationalBloom::position(base::Instant at) const {
  if (at == now_) return target_;
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
  ++count_of(epoch, bucket >> region_shift_);
}

void GenerationalBloom::test(std::span<const std::uint64_t> keys, base::Instant now,
                             std::span<bool> distinct) const {
  WEIR_CHECK(distinct.size() >= keys.size());
  if (is_swept() && *position(std::max(now, now_)) == target_) {
    kernels_->test_all(pass(), keys.data(), keys.size(), distinct.data());
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
  LanePass at = pass();
  kernels_->test_then_set_all(at, keys.data(), keys.size(), distinct.data());
  for (std::uint32_t region = 0; region < kRegionCount; ++region) {
    count_of(target_.generation, region) += at.set_counts[0][region];
    count_of(target_.generation + 1, region) += at.set_counts[1][region];
  }
}

// Kernels write only through passes of calls that are not const.
LanePass GenerationalBloom::pass() const {
  return {.words = const_cast<std::uint64_t*>(lines_.data()),
          .bucket_count = options_.shape.bucket_count,
          .boundary = target_.boundary,
          .epoch = target_.generation,
          .refresh = options_.refresh,
          .region_shift = region_shift_,
          .set_counts = {}};
}

void GenerationalBloom::advance(base::Instant now) { move_to(now, 0); }

void GenerationalBloom::move_to(base::Instant now, std::size_t key_count) {
  if (now < now_) ++clock_backward_count_;
  if (now > now_) set_now(now);
  if (!is_swept()) {
    sweep((kSweepLinesMax + kSweepLinesPerKey * key_count) / options_.shape.line_count);
  }
}

void GenerationalBloom::set_now(base::Instant now) {
  now_ = now;
  const Position real = real_position(now_);
  if (real.generation - skipped_ > target_.generation + kGoneAfter) skip_silence(real);
  target_ = {real.generation - skipped_, real.boundary};
  for (; newest_epoch_ < target_.generation + 1; ++newest_epoch_) {
    key_counts_[(newest_epoch_ + 1) % key_counts_.size()].fill(0);
  }
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

std::uint32_t GenerationalBloom::region_count() const {
  return ((options_.shape.bucket_count - 1) >> region_shift_) + 1;
}

std::uint32_t GenerationalBloom::region_buckets(std::uint32_t region) const {
  const std::uint32_t begin = region << region_shift_;
  return std::min(1U << region_shift_, options_.shape.bucket_count - begin);
}

// Where the boundary stands, a key of the oldest epoch may be gone already.
std::uint64_t GenerationalBloom::live_key_count() const {
  std::uint64_t count = 0;
  for (std::uint32_t region = 0; region < region_count(); ++region) {
    const std::uint64_t begin = std::uint64_t{region} << region_shift_;
    const std::uint64_t last = begin + region_buckets(region) - 1;
    const std::uint64_t oldest = epoch_of(last, target_) - kPartCount;
    const std::uint64_t epoch_count = epoch_of(begin, target_) - oldest + 1;
    for (std::uint64_t i = 0; i < epoch_count; ++i) count += count_of(oldest + i, region);
  }
  return count;
}

// A small filter is looked at bit by bit; a large one by the keys in its regions, and there by side
// of the boundary.
double GenerationalBloom::false_positives() const {
  double sum = 0;
  if (options_.shape.bucket_count <= kCountedBucketsMax) {
    for (std::uint64_t i = 0; i < options_.shape.bucket_count; ++i) sum += bucket_hits(i);
    return sum / options_.shape.bucket_count;
  }
  for (std::uint32_t region = 0; region < region_count(); ++region) {
    const std::uint64_t begin = std::uint64_t{region} << region_shift_;
    const std::uint64_t end = begin + region_buckets(region);
    const std::uint64_t between = std::clamp(target_.boundary, begin, end);
    sum += expected_hits(region, target_.generation + 1, between - begin);
    sum += expected_hits(region, target_.generation, end - between);
  }
  return sum / options_.shape.bucket_count;
}

// The probability that this bucket has an unknown key: for each lane, that a pair of bits is set in
// every line.
double GenerationalBloom::bucket_hits(std::uint64_t bucket) const {
  const std::uint32_t stale = stale_lanes(bucket, target_);
  const std::uint64_t* const words = bucket_words(bucket);
  double none = 1;
  for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
    if ((stale >> lane & 1U) != 0) continue;
    double hit = 1;
    for (std::uint32_t line = 0; line < options_.shape.line_count && hit > 0; ++line) {
      const double set = std::popcount(words[line * kLineWords + lane]);
      hit *= set * (set - 1) / (64.0 * 63.0);
    }
    none *= 1 - hit;
  }
  return 1 - none;
}

// Of one unknown key in each of these buckets of a region, which are all in the same epoch. Keys of
// an epoch that has just begun in the region are all on their side of the boundary.
double GenerationalBloom::expected_hits(std::uint32_t region, std::uint64_t epoch,
                                        std::uint64_t bucket_count) const {
  if (bucket_count == 0) return 0;
  double none = 1;
  for (std::uint64_t age = 0; age < kLaneCount; ++age) {
    const std::uint64_t keys = count_of(epoch - age, region);
    if (keys == 0) continue;
    const bool has_begun = epoch - age == target_.generation + 1;
    const double lambda = static_cast<double>(keys) /
                          static_cast<double>(has_begun ? bucket_count : region_buckets(region));
    none *= 1 - generational_lane_false_positives(lambda, options_.shape.line_count);
  }
  return (1 - none) * static_cast<double>(bucket_count);
}

std::size_t GenerationalBloom::memory_bytes() const {
  return lines_.bytes() + epochs_.capacity() * sizeof(std::uint16_t);
}

}  // namespace weir::bloom
