// SPDX-License-Identifier: Apache-2.0
#include "bloom/growing_bloom.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "bloom/frame.h"

namespace weir::bloom {
namespace {

// Keys that a batch looks up together.
constexpr std::size_t kChunk = 64;
// Keys whose cells are asked for before the first of them is looked at.
constexpr std::size_t kAhead = 8;

constexpr std::size_t kFrameHeadBytes = 2;
constexpr std::size_t kFrameTailBytes = 8;

// Stages are saved without the frame of their own.
std::string_view body_of(std::string_view frame) {
  return frame.substr(kFrameHeadBytes, frame.size() - kFrameHeadBytes - kFrameTailBytes);
}

std::string framed(FrameKind kind, std::string_view body) {
  base::ByteWriter writer = begin_frame(kind);
  writer.raw(body);
  return finish_frame(std::move(writer));
}

}  // namespace

template <typename Stage>
GrowingBloom<Stage>::GrowingBloom(const GrowingOptions& options, const StageOptions& stage_options,
                                  bool valid)
    : options_(options), stage_options_(stage_options) {
  WEIR_CHECK(valid);
}

template <typename Stage>
GrowingBloom<Stage>::GrowingBloom(const GrowingOptions& options)
  requires(!kTimed)
    : GrowingBloom(options, {}, options.is_valid()) {
  add_stage();
}

template <typename Stage>
GrowingBloom<Stage>::GrowingBloom(const GrowingOptions& options, const TimerOptions& timers)
  requires(kTimed)
    : GrowingBloom(options, timers, options.is_valid()) {
  add_stage();
}

template <typename Stage>
void GrowingBloom<Stage>::add_stage() {
  const BloomShape shape = options_.shape_after(stages_.size());
  if constexpr (kTimed) {
    stages_.push_back({Stage(shape, stage_options_), 0, options_.full_count(shape)});
    stages_.back().filter.advance(latest_);
  } else {
    stages_.push_back({Stage(shape), 0, options_.full_count(shape)});
  }
}

template <typename Stage>
bool GrowingBloom<Stage>::is_full(const Entry& entry) const {
  std::uint64_t count = entry.key_count;
  if (options_.rule == GrowthRule::kDensity) {
    if constexpr (kTimed) {
      count = entry.filter.live_cell_count();
    } else {
      count = entry.filter.set_cell_count();
    }
  }
  return static_cast<double>(count) > entry.full_count;
}

template <typename Stage>
Stage& GrowingBloom<Stage>::take_key() {
  if (is_full(stages_.back())) {
    if (stages_.size() < options_.stage_count_max) {
      add_stage();
    } else {
      ++overfull_count_;
    }
  }
  ++stages_.back().key_count;
  return stages_.back().filter;
}

// An event that is over takes no place.
template <typename Stage>
void GrowingBloom<Stage>::put(std::uint64_t key, base::Instant at) {
  if constexpr (kTimed) {
    if (!stages_.back().filter.is_over(at)) take_key().set(key, latest_, at);
  } else {
    take_key().set(key);
  }
}

template <typename Stage>
bool GrowingBloom<Stage>::is_distinct(std::uint64_t key, base::Instant now) const {
  for (auto entry = stages_.rbegin(); entry != stages_.rend(); ++entry) {
    if constexpr (kTimed) {
      if (!entry->filter.test(key, now)) return false;
    } else {
      if (!entry->filter.test(key)) return false;
    }
  }
  return true;
}

template <typename Stage>
bool GrowingBloom<Stage>::test(std::uint64_t key) const
  requires(!kTimed)
{
  return is_distinct(key, {});
}

template <typename Stage>
bool GrowingBloom<Stage>::test_and_set(std::uint64_t key)
  requires(!kTimed)
{
  const bool distinct = is_distinct(key, {});
  if (distinct) put(key, {});
  return distinct;
}

// Every stage answers for the keys that those before it call distinct, all of them together.
template <typename Stage>
void GrowingBloom<Stage>::test(std::span<const std::uint64_t> keys, std::span<bool> distinct) const
  requires(!kTimed)
{
  WEIR_CHECK(distinct.size() >= keys.size());
  std::array<std::uint64_t, kChunk> open{};
  std::array<std::size_t, kChunk> places{};
  std::array<bool, kChunk> answers{};
  for (std::size_t begin = 0; begin < keys.size(); begin += kChunk) {
    std::size_t open_count = std::min(kChunk, keys.size() - begin);
    for (std::size_t i = 0; i < open_count; ++i) {
      open[i] = keys[begin + i];
      places[i] = begin + i;
      distinct[begin + i] = true;
    }
    for (auto entry = stages_.rbegin(); entry != stages_.rend() && open_count > 0; ++entry) {
      entry->filter.test(std::span(open).first(open_count), answers);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < open_count; ++i) {
        distinct[places[i]] = answers[i];
        open[kept] = open[i];
        places[kept] = places[i];
        kept += answers[i] ? 1U : 0U;
      }
      open_count = kept;
    }
  }
}

// What is seen stays seen, so only keys that were distinct before the chunk are asked again, with
// their cells at hand by then.
template <typename Stage>
void GrowingBloom<Stage>::test_and_set(std::span<const std::uint64_t> keys,
                                       std::span<bool> distinct)
  requires(!kTimed)
{
  WEIR_CHECK(distinct.size() >= keys.size());
  for (std::size_t begin = 0; begin < keys.size(); begin += kChunk) {
    const std::size_t end = std::min(keys.size(), begin + kChunk);
    test(keys.subspan(begin, end - begin), distinct.subspan(begin));
    for (std::size_t i = begin; i < end; ++i) distinct[i] = distinct[i] && test_and_set(keys[i]);
  }
}

template <typename Stage>
bool GrowingBloom<Stage>::test(std::uint64_t key, base::Instant now) const
  requires(kTimed)
{
  return is_distinct(key, now);
}

template <typename Stage>
void GrowingBloom<Stage>::set(std::uint64_t key, base::Instant now)
  requires(kTimed)
{
  set(key, now, std::max(now, latest_));
}

template <typename Stage>
void GrowingBloom<Stage>::set(std::uint64_t key, base::Instant now, base::Instant at)
  requires(kTimed)
{
  advance(now);
  put(key, at);
}

template <typename Stage>
bool GrowingBloom<Stage>::first_test_then_set(std::uint64_t key, base::Instant now)
  requires(kTimed)
{
  return first_test_then_set(key, now, std::max(now, latest_));
}

template <typename Stage>
bool GrowingBloom<Stage>::first_test_then_set(std::uint64_t key, base::Instant now,
                                              base::Instant at)
  requires(kTimed)
{
  advance(now);
  const bool distinct = is_distinct(key, latest_);
  if (distinct || stage_options_.refresh) put(key, at);
  return distinct;
}

template <typename Stage>
void GrowingBloom<Stage>::first_test_then_set(std::span<const std::uint64_t> keys,
                                              base::Instant now, std::span<bool> distinct)
  requires(kTimed)
{
  WEIR_CHECK(distinct.size() >= keys.size());
  const auto prefetch = [&](std::size_t index) {
    if (index >= keys.size()) return;
    for (const Entry& entry : stages_) entry.filter.prefetch(keys[index]);
  };
  for (std::size_t i = 0; i < kAhead; ++i) prefetch(i);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    prefetch(i + kAhead);
    distinct[i] = first_test_then_set(keys[i], now);
  }
}

template <typename Stage>
void GrowingBloom<Stage>::advance(base::Instant now)
  requires(kTimed)
{
  if (now < latest_) ++clock_backward_count_;
  latest_ = std::max(latest_, now);
  for (Entry& entry : stages_) entry.filter.advance(latest_);
  if (std::ranges::any_of(stages_,
                          [](const Entry& entry) { return entry.filter.live_cell_count() == 0; })) {
    drop_empty();
  }
}

// The newest stays even if it is empty, as long as another one is not or its shape is the first.
template <typename Stage>
void GrowingBloom<Stage>::drop_empty() {
  if constexpr (kTimed) {
    const auto newest = stages_.end() - 1;
    if (newest->filter.live_cell_count() == 0) newest->key_count = 0;
    const auto kept = std::remove_if(stages_.begin(), newest, [](const Entry& entry) {
      return entry.filter.live_cell_count() == 0;
    });
    stages_.erase(kept, newest);
    const Entry& first = stages_.front();
    if (first.filter.live_cell_count() > 0 || stages_.size() > 1) return;
    if (first.filter.shape() == options_.first_shape) return;
    stages_.clear();
    add_stage();
  }
}

template <typename Stage>
bool GrowingBloom<Stage>::empty(base::Instant now) const
  requires(kTimed)
{
  return std::ranges::all_of(stages_, [&](const Entry& entry) { return entry.filter.empty(now); });
}

template <typename Stage>
std::uint64_t GrowingBloom<Stage>::key_count() const {
  std::uint64_t count = 0;
  for (const Entry& entry : stages_) count += entry.key_count;
  return count;
}

template <typename Stage>
std::size_t GrowingBloom<Stage>::memory_bytes() const {
  std::size_t bytes = stages_.capacity() * sizeof(Entry);
  for (const Entry& entry : stages_) bytes += entry.filter.memory_bytes();
  return bytes;
}

template <typename Stage>
std::string GrowingBloom<Stage>::save() const {
  base::ByteWriter writer = begin_frame(FrameKind::kGrowing);
  writer.u8(static_cast<std::uint8_t>(kTimed ? FrameKind::kTimer : FrameKind::kClassic));
  options_.write(writer);
  writer.varint(overfull_count_);
  if constexpr (kTimed) {
    stage_options_.write(writer);
    writer.u64(static_cast<std::uint64_t>(latest_.nanoseconds));
    writer.varint(clock_backward_count_);
  }
  writer.varint(stages_.size());
  for (const Entry& entry : stages_) {
    writer.varint(entry.key_count);
    writer.text(body_of(entry.filter.save()));
  }
  return finish_frame(std::move(writer));
}

// Of timed stages, others that were alive when it was added may have been dropped since. The next
// stage is never more than the factor larger than the newest, so bytes cannot ask for much memory.
template <typename Stage>
bool GrowingBloom<Stage>::has_shape(std::size_t index, const BloomShape& shape) const {
  const std::size_t end = kTimed ? options_.stage_count_max : index + 1;
  for (std::size_t i = index; i < end; ++i) {
    const BloomShape known = options_.shape_after(i);
    if (shape == known) return true;
    if (options_.factor == 1 || known.cell_count == kCellCountMax) return false;
  }
  return false;
}

template <typename Stage>
bool GrowingBloom<Stage>::read_stage(std::uint64_t key_count, std::string_view body) {
  auto filter = Stage::restore(framed(kTimed ? FrameKind::kTimer : FrameKind::kClassic, body));
  if (!filter || !has_shape(stages_.size(), filter->shape())) return false;
  if constexpr (kTimed) {
    if (filter->options() != stage_options_ || filter->latest() != latest_ ||
        filter->clock_backward_count() != 0) {
      return false;
    }
  }
  const double full = options_.full_count(filter->shape());
  stages_.push_back({std::move(*filter), key_count, full});
  return true;
}

template <typename Stage>
base::Result<GrowingBloom<Stage>> GrowingBloom<Stage>::restore(std::string_view bytes) {
  const auto body = open_frame(FrameKind::kGrowing, bytes);
  if (!body) return body.error();
  base::ByteReader reader(*body);
  const auto kind = static_cast<FrameKind>(reader.u8());
  if (kind != (kTimed ? FrameKind::kTimer : FrameKind::kClassic)) {
    return corrupt_frame(FrameKind::kGrowing, "has stages of another kind");
  }
  const GrowingOptions options = GrowingOptions::read(reader);
  const std::uint64_t overfull_count = reader.varint();
  StageOptions stage_options;
  if constexpr (kTimed) {
    stage_options = TimerOptions::read(reader);
    if (!is_valid(options.first_shape, stage_options)) reader.fail();
  }
  if (reader.failed()) {
    return corrupt_frame(FrameKind::kGrowing, "has options that it cannot have");
  }
  GrowingBloom filter(options, stage_options, true);
  filter.overfull_count_ = overfull_count;
  if constexpr (kTimed) {
    filter.latest_ = {static_cast<std::int64_t>(reader.u64())};
    filter.clock_backward_count_ = reader.varint();
  }
  const std::uint64_t stage_count = reader.count(2);
  if (stage_count < 1 || stage_count > options.stage_count_max) {
    return corrupt_frame(FrameKind::kGrowing, "has too few stages or too many");
  }
  for (std::uint64_t i = 0; i < stage_count; ++i) {
    const std::uint64_t key_count = reader.varint();
    const std::string_view stage_body = reader.text();
    if (reader.failed() || !filter.read_stage(key_count, stage_body)) {
      return corrupt_frame(FrameKind::kGrowing, "has a stage that it cannot have");
    }
  }
  if (!reader.done()) return corrupt_frame(FrameKind::kGrowing, "goes on after its end");
  return filter;
}

template class GrowingBloom<ClassicBloom>;
template class GrowingBloom<TimerBloom>;

}  // namespace weir::bloom
