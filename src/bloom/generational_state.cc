// SPDX-License-Identifier: Apache-2.0
// A GenerationalBloom as bytes.
#include "bloom/frame.h"
#include "bloom/generational_bloom.h"

namespace weir::bloom {
namespace {

constexpr std::uint64_t kFirstGeneration = kLaneCount;

}  // namespace

// Whether a bucket remembers anything of an epoch: it has come, and is not over.
bool GenerationalBloom::has_epoch(std::uint64_t bucket, std::uint64_t epoch) const {
  return epoch_of(bucket, target_) - epoch < kLaneCount &&
         (stale_lanes(bucket, target_) >> (epoch % kLaneCount) & 1U) == 0;
}

bool GenerationalBloom::is_epoch_empty(std::uint64_t epoch) const {
  for (std::uint64_t bucket = 0; bucket < options_.shape.bucket_count; ++bucket) {
    if (!has_epoch(bucket, epoch)) continue;
    const std::uint64_t* const words = bucket_words(bucket) + epoch % kLaneCount;
    for (std::uint32_t line = 0; line < options_.shape.line_count; ++line) {
      if (words[line * kLineWords] != 0) return false;
    }
  }
  return true;
}

void GenerationalBloom::save_epoch(std::uint64_t epoch, base::ByteWriter& writer) const {
  for (std::uint64_t bucket = 0; bucket < options_.shape.bucket_count; ++bucket) {
    const bool there = has_epoch(bucket, epoch);
    const std::uint64_t* const words = bucket_words(bucket) + epoch % kLaneCount;
    for (std::uint32_t line = 0; line < options_.shape.line_count; ++line) {
      writer.u64(there ? words[line * kLineWords] : 0);
    }
  }
}

std::string GenerationalBloom::save() const {
  base::ByteWriter writer;
  save(writer);
  return writer.take();
}

void GenerationalBloom::save(base::ByteWriter& writer) const {
  const std::size_t begun = begin_frame(FrameKind::kGenerational, writer);
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
    const bool empty = is_epoch_empty(newest_epoch_ - i);
    writer.u8(empty ? 0 : 1);
    if (!empty) save_epoch(newest_epoch_ - i, writer);
  }
  finish_frame(begun, writer);
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
    const bool can_be = epoch_of(bucket, target_) - epoch < kLaneCount;
    for (std::uint32_t line = 0; line < options_.shape.line_count; ++line) {
      const std::uint64_t word = reader.u64();
      if (word == 0) continue;
      if (!can_be) return false;
      bucket_words(bucket)[line * kLineWords + epoch % kLaneCount] = word;
      is_empty = false;
    }
  }
  return !is_empty;
}

}  // namespace weir::bloom
