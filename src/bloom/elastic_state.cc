// SPDX-License-Identifier: Apache-2.0
// An ElasticBloom as bytes.
#include <algorithm>
#include <utility>

#include "bloom/elastic_bloom.h"
#include "bloom/frame.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr std::size_t kStageBytesMin = 20;
constexpr std::size_t kEntryBytes = 16;

// About what all but the filters' words takes.
constexpr std::size_t kHeadBytesMax = std::size_t{1} << 16U;

base::Error corrupt() {
  return corrupt_frame(FrameKind::kElastic, "is not what a window of these options writes");
}

}  // namespace

std::string ElasticBloom::save() const {
  base::ByteWriter writer;
  save(writer);
  return writer.take();
}

void ElasticBloom::save(base::ByteWriter& writer) const {
  writer.reserve(writer.size() + memory_bytes() / kLaneCount * (kLaneCount + 1) + kHeadBytesMax);
  const std::size_t begun = begin_frame(FrameKind::kElastic, writer);
  writer.u64(static_cast<std::uint64_t>(options_.within.nanoseconds));
  writer.u8(options_.refresh ? 1 : 0);
  writer.f64(options_.false_positives_max);
  writer.varint(options_.key_count_max);
  writer.u64(static_cast<std::uint64_t>(now_.nanoseconds));
  writer.varint(overflow_count_);
  writer.varint(clock_backward_count_);
  writer.u8(to_list_ ? 1 : 0);
  writer.varint(list_.size());
  for (std::size_t i = 0; i < list_.size(); ++i) {
    writer.u64(list_.entry(i).key);
    writer.u64(static_cast<std::uint64_t>(list_.entry(i).at.nanoseconds));
  }
  writer.varint(stages_.size());
  for (const auto& stage : stages_) {
    writer.varint(stage->size);
    writer.varint(stage->countdown);
    writer.u64(static_cast<std::uint64_t>(stage->look_at.nanoseconds));
    const std::size_t block = writer.begin_block();
    stage->filter.save(writer);
    writer.end_block(block);
  }
  writer.varint(forgotten_.size());
  for (const auto& [key, until] : forgotten_) {
    writer.u64(key);
    writer.u64(static_cast<std::uint64_t>(until.nanoseconds));
  }
  finish_frame(begun, writer);
}

base::Result<ElasticBloom> ElasticBloom::restore(const ElasticOptions& options,
                                                 std::string_view bytes) {
  const auto body = open_frame(FrameKind::kElastic, bytes);
  if (!body) return body.error();
  base::ByteReader reader(*body);
  const bool is_same = static_cast<std::int64_t>(reader.u64()) == options.within.nanoseconds &&
                       reader.u8() == (options.refresh ? 1 : 0);
  ElasticOptions own = options;
  own.false_positives_max = reader.f64();
  own.key_count_max = reader.varint();
  if (!is_same || !(own.false_positives_max >= kFalsePositivesMin) ||
      !(own.false_positives_max <= kFalsePositivesMax) || own.key_count_max > kElasticKeyCountMax) {
    return corrupt_frame(FrameKind::kElastic, "is of a window with other options");
  }
  ElasticBloom window(own);
  window.now_ = {static_cast<std::int64_t>(reader.u64())};
  window.overflow_count_ = reader.varint();
  window.clock_backward_count_ = reader.varint();
  const std::uint8_t to_list = reader.u8();
  window.to_list_ = to_list == 1;
  if (to_list > 1 || !window.restore_list(reader) || !window.restore_stages(reader) ||
      !window.restore_forgotten(reader) || !reader.done()) {
    return corrupt();
  }
  return window;
}

bool ElasticBloom::restore_stages(base::ByteReader& reader) {
  const std::uint64_t count = reader.count(kStageBytesMin);
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const std::uint64_t size = reader.varint();
    const std::uint64_t countdown = reader.varint();
    const base::Instant look_at{static_cast<std::int64_t>(reader.u64())};
    if (reader.failed() || size >= sizes_.size() || has_stage(size) || countdown < 1 ||
        countdown > keys_between_looks(size)) {
      return false;
    }
    auto filter = GenerationalBloom::restore(reader.block(), sizes_[size].shape.bucket_count);
    if (!filter || filter->options().shape != sizes_[size].shape ||
        filter->options().within != options_.within ||
        filter->options().refresh != options_.refresh || filter->now() > now_) {
      return false;
    }
    stages_.push_back(std::make_unique<Stage>(Stage{size, countdown, look_at, std::move(*filter)}));
  }
  return !reader.failed() && (to_list_ || !stages_.empty());
}

bool ElasticBloom::restore_list(base::ByteReader& reader) {
  const std::uint64_t count = reader.count(kEntryBytes);
  if (count > kListCountMax || (count > 0 && !to_list_)) return false;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const std::uint64_t key = reader.u64();
    const base::Instant at{static_cast<std::int64_t>(reader.u64())};
    const bool is_ordered = i == 0 || list_.entry(i - 1).at <= at;
    if (reader.failed() || !is_ordered || at > now_ || list_.find(key) != nullptr) return false;
    list_.append({key, at});
  }
  return !reader.failed();
}

bool ElasticBloom::restore_forgotten(base::ByteReader& reader) {
  const std::uint64_t count = reader.count(kEntryBytes);
  if (count > kForgottenCountMax) return false;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const std::uint64_t key = reader.u64();
    if (!forgotten_.empty() && forgotten_.rbegin()->first >= key) return false;
    forgotten_.emplace_hint(forgotten_.end(), key,
                            base::Instant{static_cast<std::int64_t>(reader.u64())});
  }
  return !reader.failed();
}

}  // namespace weir::bloom
