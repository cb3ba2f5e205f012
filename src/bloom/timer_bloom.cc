// SPDX-License-Identifier: Apache-2.0
#include "bloom/timer_bloom.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/check.h"
#include "bloom/frame.h"

namespace weir::bloom {
namespace {

// Keys whose cells are asked for before the first of them is looked at.
constexpr std::size_t kAhead = 8;

// Codes that are left for stale timers, as a share of the window: the more, the slower the sweep
// may be; the fewer, the fewer windows need a bit more per cell.
constexpr std::uint64_t kStaleShare = 16;

std::uint32_t code_bits(std::uint64_t window) {
  const std::uint64_t stale_count_min = std::max<std::uint64_t>(1, window / kStaleShare);
  return static_cast<std::uint32_t>(std::bit_width(window + stale_count_min));
}

// Timers in a frame: 0 to w.
std::uint32_t saved_bits(std::uint64_t window) {
  return static_cast<std::uint32_t>(std::bit_width(window));
}

std::int64_t floor_divide(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

std::uint64_t distance(std::int64_t later, std::int64_t earlier) {
  return static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
}

}  // namespace

std::uint64_t TimerOptions::window_ticks() const {
  if (tick.nanoseconds < 1 || within.nanoseconds < 1) return 0;
  const std::int64_t rest = within.nanoseconds % tick.nanoseconds;
  const auto ticks =
      static_cast<std::uint64_t>(within.nanoseconds / tick.nanoseconds) + (rest == 0 ? 0U : 1U);
  return ticks <= kWindowTicksMax ? ticks : 0;
}

void TimerOptions::write(base::ByteWriter& writer) const {
  writer.u64(static_cast<std::uint64_t>(within.nanoseconds));
  writer.u64(static_cast<std::uint64_t>(tick.nanoseconds));
  writer.varint(equal_min);
  writer.u8(refresh ? 1 : 0);
}

TimerOptions TimerOptions::read(base::ByteReader& reader) {
  TimerOptions options;
  options.within.nanoseconds = static_cast<std::int64_t>(reader.u64());
  options.tick.nanoseconds = static_cast<std::int64_t>(reader.u64());
  const std::uint64_t equal_min = reader.varint();
  const std::uint8_t refresh = reader.u8();
  if (equal_min > kProbeCountMax || refresh > 1) reader.fail();
  options.equal_min = static_cast<std::uint32_t>(equal_min);
  options.refresh = refresh == 1;
  return options;
}

bool is_valid(const BloomShape& shape, const TimerOptions& options) {
  return shape.cell_count >= 1 && shape.cell_count <= kCellCountMax && shape.probe_count >= 1 &&
         shape.probe_count <= kProbeCountMax && options.window_ticks() > 0 &&
         options.equal_min <= shape.probe_count;
}

TimerBloom::TimerBloom(BloomShape shape, const TimerOptions& options)
    : shape_(shape),
      options_(options),
      window_(options.window_ticks()),
      code_count_((std::uint64_t{1} << code_bits(window_)) - 1),
      cells_(shape.cell_count, code_bits(window_)),
      tick_(0),
      tick_end_ns_(std::numeric_limits<std::int64_t>::min()) {
  WEIR_CHECK(is_valid(shape, options));
  tick_ = tick_of(latest_);
}

std::int64_t TimerBloom::tick_of(base::Instant instant) const {
  return floor_divide(instant.nanoseconds, options_.tick.nanoseconds);
}

std::uint64_t TimerBloom::ticks_ahead(base::Instant now) const {
  return now.nanoseconds < tick_end_ns_ || now <= latest_ ? 0 : distance(tick_of(now), tick_);
}

// Codes of timers that are over lie beyond the window.
std::uint64_t TimerBloom::timer(std::uint64_t index) const {
  const std::uint64_t code = cells_.get(index);
  if (code == 0) return 0;
  const std::uint64_t ahead = code - 1 + (code - 1 < phase_ ? code_count_ : 0) - phase_;
  return ahead <= window_ ? ahead : 0;
}

std::uint64_t TimerBloom::code_of(std::uint64_t timer) const {
  const std::uint64_t expiry = phase_ + timer;
  return 1 + expiry - (expiry < code_count_ ? 0 : code_count_);
}

bool TimerBloom::is_distinct(std::uint64_t key, std::uint64_t ahead) const {
  if (options_.equal_min > 1) return largest_group(key, ahead) < options_.equal_min;
  for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
    if (timer(probe(key, i, shape_.cell_count)) <= ahead) return true;
  }
  return false;
}

std::uint32_t TimerBloom::largest_group(std::uint64_t key, std::uint64_t ahead) const {
  std::array<std::uint64_t, kProbeCountMax> timers{};
  for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
    timers[i] = timer(probe(key, i, shape_.cell_count));
    if (timers[i] <= ahead) return 0;
  }
  std::sort(timers.begin(), timers.begin() + shape_.probe_count);
  std::uint32_t largest = 1;
  std::uint32_t group = 1;
  for (std::uint32_t i = 1; i < shape_.probe_count; ++i) {
    group = timers[i] == timers[i - 1] ? group + 1 : 1;
    largest = std::max(largest, group);
  }
  return largest;
}

bool TimerBloom::test(std::uint64_t key, base::Instant now) const {
  return is_distinct(key, ticks_ahead(now));
}

std::uint32_t TimerBloom::equal_count(std::uint64_t key, base::Instant now) const {
  return largest_group(key, ticks_ahead(now));
}

std::uint64_t TimerBloom::timer_for(base::Instant at) const {
  if (at >= latest_) return window_;
  const std::uint64_t delay = distance(tick_, tick_of(at));
  return delay < window_ ? window_ - delay : 0;
}

void TimerBloom::put_cell(std::uint64_t index, std::uint64_t value) {
  const std::uint64_t old = timer(index);
  if (old >= value) return;
  const auto now = static_cast<std::uint64_t>(tick_);
  if (old > 0) {
    expiries_.remove(now + old);
  } else {
    ++live_cell_count_;
    if (cells_.get(index) != 0) --stale_cell_count_;
  }
  expiries_.add(now + value);
  cells_.set(index, code_of(value));
}

void TimerBloom::put(std::uint64_t key, std::uint64_t value) {
  for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
    put_cell(probe(key, i, shape_.cell_count), value);
  }
}

void TimerBloom::set(std::uint64_t key, base::Instant now) {
  advance(now);
  put(key, window_);
}

void TimerBloom::set(std::uint64_t key, base::Instant now, base::Instant at) {
  advance(now);
  put(key, timer_for(at));
}

bool TimerBloom::first_test_then_put(std::uint64_t key, std::uint64_t value) {
  const bool distinct = is_distinct(key, 0);
  if (distinct || options_.refresh) put(key, value);
  return distinct;
}

bool TimerBloom::first_test_then_set(std::uint64_t key, base::Instant now) {
  advance(now);
  return first_test_then_put(key, window_);
}

bool TimerBloom::first_test_then_set(std::uint64_t key, base::Instant now, base::Instant at) {
  advance(now);
  return first_test_then_put(key, timer_for(at));
}

void TimerBloom::first_test_then_set(std::span<const std::uint64_t> keys, base::Instant now,
                                     std::span<bool> distinct) {
  WEIR_CHECK(distinct.size() >= keys.size());
  for (std::size_t i = 0; i < std::min(kAhead, keys.size()); ++i) prefetch(keys[i]);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) prefetch(keys[i + kAhead]);
    distinct[i] = first_test_then_set(keys[i], now);
  }
}

void TimerBloom::prefetch(std::uint64_t key) const {
  for (std::uint32_t i = 0; i < shape_.probe_count; ++i) {
    cells_.prefetch(probe(key, i, shape_.cell_count));
  }
}

void TimerBloom::advance(base::Instant now) {
  if (now < latest_) {
    ++clock_backward_count_;
    return;
  }
  latest_ = now;
  if (now.nanoseconds < tick_end_ns_) return;
  const std::int64_t tick = tick_of(now);
  const std::uint64_t passed = distance(tick, tick_);
  const std::uint64_t expired =
      expiries_.expire(static_cast<std::uint64_t>(tick_) + std::min(passed, window_));
  live_cell_count_ -= expired;
  stale_cell_count_ += expired;
  sweep(passed);
  phase_ = (phase_ + passed % code_count_) % code_count_;
  tick_ = tick;
  const std::int64_t rest = now.nanoseconds % options_.tick.nanoseconds;
  const base::Duration left{rest < 0 ? -rest : options_.tick.nanoseconds - rest};
  tick_end_ns_ = (now + left).nanoseconds;
}

// Runs while the codes still count from the tick before. When nothing is stale every cell is as
// good as visited just now, so the sweep may rest.
void TimerBloom::sweep(std::uint64_t passed) {
  if (stale_cell_count_ == 0) return;
  if (passed >= window_) {
    std::ranges::fill(cells_.words(), 0);
    stale_cell_count_ = 0;
    return;
  }
  const std::uint64_t stale_ticks_max = code_count_ - window_;
  const std::uint64_t cells_per_tick = shape_.cell_count / stale_ticks_max + 1;
  std::uint64_t rest = passed < stale_ticks_max
                           ? std::min(shape_.cell_count, passed * cells_per_tick)
                           : shape_.cell_count;
  while (rest > 0 && stale_cell_count_ > 0) {
    const std::uint64_t end = std::min(shape_.cell_count, sweep_next_ + rest);
    rest -= end - sweep_next_;
    sweep_cells(sweep_next_, end, passed);
    sweep_next_ = end < shape_.cell_count ? end : 0;
  }
}

// Clears what has not more than `passed` ticks to live. Whether a cell is set cannot be predicted,
// so masks stand for branches: a timer that is over wraps around beyond those that live.
void TimerBloom::sweep_cells(std::uint64_t begin, std::uint64_t end, std::uint64_t passed) {
  const std::uint64_t left = window_ - passed;
  const std::uint64_t origin = phase_ + 1;
  std::uint64_t cleared_count = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint64_t code = cells_.get(i);
    const std::uint64_t is_set = 0 - ((0 - code) >> 63U);
    const std::uint64_t offset = code - origin;
    const std::uint64_t ahead = offset + (code_count_ & (0 - (offset >> 63U)));
    if (((ahead - passed - 1) & is_set) < left) continue;
    cells_.set(i, 0);
    ++cleared_count;
  }
  stale_cell_count_ -= cleared_count;
}

double TimerBloom::density() const {
  return static_cast<double>(live_cell_count_) / static_cast<double>(shape_.cell_count);
}

bool TimerBloom::empty(base::Instant now) const {
  return expiries_.empty() ||
         expiries_.last_tick() - static_cast<std::uint64_t>(tick_) <= ticks_ahead(now);
}

std::string TimerBloom::save() const {
  base::ByteWriter writer = begin_frame(FrameKind::kTimer);
  writer.varint(shape_.cell_count);
  writer.varint(shape_.probe_count);
  options_.write(writer);
  writer.u64(static_cast<std::uint64_t>(latest_.nanoseconds));
  writer.varint(clock_backward_count_);
  PackedCells timers(shape_.cell_count, saved_bits(window_));
  for (std::uint64_t i = 0; i < shape_.cell_count; ++i) timers.set(i, timer(i));
  for (const std::uint64_t word : timers.words()) writer.u64(word);
  return finish_frame(std::move(writer));
}

// Requires timers of at most w in cells that are all unset.
void TimerBloom::take_timers(const PackedCells& timers) {
  std::vector<std::uint64_t> expiries;
  for (std::uint64_t i = 0; i < shape_.cell_count; ++i) {
    const std::uint64_t value = timers.get(i);
    if (value == 0) continue;
    cells_.set(i, code_of(value));
    expiries.push_back(value);
  }
  live_cell_count_ = expiries.size();
  std::ranges::sort(expiries);
  for (std::uint64_t& expiry : expiries) expiry += static_cast<std::uint64_t>(tick_);
  expiries_.assign(expiries);
}

base::Result<TimerBloom> TimerBloom::restore(std::string_view bytes) {
  const auto body = open_frame(FrameKind::kTimer, bytes);
  if (!body) return body.error();
  base::ByteReader reader(*body);
  const std::uint64_t cell_count = reader.varint();
  const std::uint64_t probe_count = reader.varint();
  const TimerOptions options = TimerOptions::read(reader);
  const base::Instant latest{static_cast<std::int64_t>(reader.u64())};
  const std::uint64_t clock_backward_count = reader.varint();
  const BloomShape shape{cell_count, static_cast<std::uint32_t>(probe_count)};
  if (reader.failed() || probe_count > kProbeCountMax || !is_valid(shape, options)) {
    return corrupt_frame(FrameKind::kTimer, "has options that it cannot have");
  }
  const std::uint32_t bits = saved_bits(options.window_ticks());
  if (reader.rest_bytes() != PackedCells::word_count(cell_count, bits) * 8) {
    return corrupt_frame(FrameKind::kTimer, "is of another size than it says");
  }
  PackedCells timers(cell_count, bits);
  for (std::uint64_t& word : timers.words()) word = reader.u64();
  TimerBloom filter(shape, options);
  for (std::uint64_t i = 0; i < cell_count; ++i) {
    if (timers.get(i) > filter.window_) {
      return corrupt_frame(FrameKind::kTimer, "has a timer beyond its window");
    }
  }
  if (cell_count * bits % 64 != 0 && timers.words().back() >> (cell_count * bits % 64) != 0) {
    return corrupt_frame(FrameKind::kTimer, "has cells beyond its end");
  }
  filter.advance(latest);
  filter.clock_backward_count_ = clock_backward_count;
  filter.take_timers(timers);
  return filter;
}

}  // namespace weir::bloom
