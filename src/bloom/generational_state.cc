// SPDX-License-Identifier: Apache-2.0
// A GenerationalBloom as bytes.
#include <algorithm>
#include <utility>

#include "bloom/frame.h"
#include "bloom/generational_bloom.h"

namespace weir::bloom {
namespace {

constexpr std::uint64_t kFirstGeneration = kLaneCount;
// Epochs whose keys are counted: the oldest still there, up to the one that has begun.
constexpr std::uint64_t kCountedEpochs = kLaneCount + 1;

}  // namespace

// What a bucket remembers of an epoch in one line; zero if that is not its time, or over.
std::uint64_t GenerationalBloom::epoch_word(std::uint64_t bucket, std::uint32_t line,
                                            std::uint64_t epoch) const {
  if (epoch_of(bucket, target_) - epoch >= kLaneCount) return 0;
  const std::uint64_t lane = epoch % kLaneCount;
  if ((stale_lanes(bucket, target_) >> lane & 1U) != 0) return 0;
  return bucket_words(bucket)[line * kLineWords + lane];
}

bool GenerationalBloom::is_epoch_empty(std::uint64_t epoch) const {
  for (std::uint64_t bucket = 0; bucket < options_.shape.bucket_count; ++bucket) {
    for (std::uint32_t line = 0; line < options_.shape.line_count; ++line) {
      if (epoch_word(bucket, line, epoch) != 0) return false;
    }
  }
  return true;
}

std::string GenerationalBloom::save() const {
  base::ByteWriter writer = begin_frame(FrameKind::kGenerational);
  writer.varint(options_.shape.bucket_count);
  writer.u8(static_cast<std::uint8_t>(options_.shape.line_count));
  writer.u8(options_.refresh ? 1 : 0);
  writer.u64(static_cast<std::uint64_t>(options_.within.nanoseconds));
  writer.u64(static_cast<std::uint64_t>(options_.start.nanoseconds));
  writer.u64(static_cast<std::uint64_t>(now_.nanoseconds));
  writer.varint(clock_backward_count_);
  for (std::uint64_t i = 0; i < kCountedEpochs; ++i) {
    for (std::uint32_t region = 0; region < region_count(); ++region) {
      writer.varint(count_of(newest_epoch_ - i, region));
    }
  }
  for (std::uint64_t i = 0; i < kCountedEpochs; ++i) {
    const std::uint64_t epoch = newest_epoch_ - i;
    const bool empty = is_epoch_empty(epoch);
    writer.u8(empty ? 0 : 1);
    if (empty) continue;
    for (std::uint64_t bucket = 0; bucket < options_.shape.bucket_count; ++bucket) {
      for (std::uint32_t line = 0; line < options_.shape.line_count; ++line) {
        writer.u64(epoch_word(bucket, line, epoch));
      }
    }
  }
  return finish_frame(std::move(writer));
}

base::Result<GenerationalBloom> GenerationalBloom::restore(std::string_view bytes,
                                                           std::uint64_t bucket_count_max) {
  const auto body = open_frame(FrameKind::kGenerational, bytes);
  if (!body) return body.error();
  base::ByteReader reader(*body);
  const std::uint64_t bucket_count = reader.varint();
  const std::uint8_t line_count = reader.u8();
  const std::uint8_t refresh = reader.u8();
  const auto within = static_cast<std::int64_t>(reader.u64());
  const auto start = static_cast<std::int64_t>(reader.u64());
  if (reader.failed() || bucket_count < 1 || bucket_count > bucket_count_max ||
      bucket_count > kBucketCountMax || (line_count != 4 && line_count != 8) || refresh > 1 ||
      within < 1) {
    return corrupt_frame(FrameKind::kGenerational, "has a shape that cannot be");
  }
  GenerationalBloom filter({.shape = {static_cast<std::uint32_t>(bucket_count), line_count},
                            .within = {within},
                            .start = {start},
                            .refresh = refresh == 1});
  if (!filter.restore_body(reader)) {
    return corrupt_frame(FrameKind::kGenerational, "is not what a filter writes");
  }
  return filter;
}

// Time, counts and lanes. Epochs begin anew at the least number, so that equal windows are equal.
bool GenerationalBloom::restore_body(base::ByteReader& reader) {
  now_ = {static_cast<std::int64_t>(reader.u64())};
  clock_backward_count_ = reader.varint();
  if (reader.failed() || now_ < options_.start) return false;
  const Position real = real_position(now_);
  skipped_ = real.generation < kFirstGeneration ? 0 : real.generation - kFirstGeneration;
  target_ = swept_ = {real.generation - skipped_, real.boundary};
  newest_epoch_ = target_.generation + 1;
  for (std::uint64_t i = 0; i < kCountedEpochs; ++i) {
    for (std::uint32_t region = 0; region < region_count(); ++region) {
      count_of(newest_epoch_ - i, region) = reader.varint();
    }
  }
  for (std::uint64_t bucket = 0; bucket < options_.shape.bucket_count; ++bucket) {
    epochs_[bucket] = static_cast<std::uint16_t>(epoch_of(bucket, target_));
  }
  for (std::uint64_t i = 0; i < kCountedEpochs && !reader.failed(); ++i) {
    const std::uint8_t flag = reader.u8();
    if (flag > 1) return false;
    if (flag == 1 && !restore_epoch(newest_epoch_ - i, reader)) return false;
  }
  return reader.done();
}

// False if it is empty, or has something where nothing of it can be.
bool GenerationalBloom::restore_epoch(std::uint64_t epoch, base::ByteReader& reader) {
  if (reader.rest_bytes() < lines_.bytes() / kLaneCount) return false;
  bool is_empty = true;
  for (std::uint64_t bucket = 0; bucket < options_.shape.bucket_count; ++bucket) {
    const bool has_epoch = epoch_of(bucket, target_) - epoch < kLaneCount;
    for (std::uint32_t line = 0; line < options_.shape.line_count; ++line) {
      const std::uint64_t word = reader.u64();
      if (word == 0) continue;
      if (!has_epoch) return false;
      bucket_words(bucket)[line * kLineWords + epoch % kLaneCount] = word;
      is_empty = false;
    }
  }
  return !is_empty;
}

}  // namespace weir::bloom
