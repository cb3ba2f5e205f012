// SPDX-License-Identifier: Apache-2.0
#include "match/bloom_window.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace weir::match {
namespace {

bloom::ElasticOptions elastic(const DistinctWindowOptions& options) {
  return {.within = options.within,
          .refresh = options.refresh,
          .false_positives_max = options.false_positives_max,
          .key_count_max = options.key_count_max};
}

}  // namespace

BloomWindow::BloomWindow(const DistinctWindowOptions& options)
    : seed_(options.seed), seen_(elastic(options)), account_(options.memory), memory_(account_) {}

std::uint64_t BloomWindow::hash(std::string_view key) const { return base::hash_bytes(key, seed_); }

bool BloomWindow::test_and_set(std::string_view key, base::Instant now,
                               std::uint64_t /*sequence*/) {
  const std::uint64_t hashed = hash(key);
  if (account_ && account_->is_exhausted() && seen_.test(hashed, now)) {
    seen_.advance(now);
    count_memory();
    ++refused_count_;
    return true;
  }
  const bool distinct = seen_.first_test_then_set(hashed, now);
  count_memory();
  hit_count_ += distinct ? 0U : 1U;
  return distinct;
}

bool BloomWindow::test(std::string_view key, base::Instant now) const {
  return seen_.test(hash(key), now);
}

base::Result<bool> BloomWindow::forget(std::string_view key, base::Instant now) {
  return seen_.forget(hash(key), now);
}

void BloomWindow::save(base::ByteWriter& writer) const {
  writer.u64(seed_);
  const std::size_t block = writer.begin_block();
  seen_.save(writer);
  writer.end_block(block);
}

base::Result<void> BloomWindow::restore(base::ByteReader& reader, base::Instant& latest) {
  seed_ = reader.u64();
  const std::string_view bytes = reader.block();
  if (reader.failed()) return {};
  auto restored = bloom::ElasticBloom::restore(seen_.options(), bytes);
  if (!restored) return restored.error();
  seen_ = std::move(*restored);
  latest = std::max(latest, seen_.now());
  count_memory();
  return {};
}

DistinctStats BloomWindow::stats() const {
  return {.key_count = seen_.live_key_count(),
          .key_count_max = seen_.options().key_count_max,
          .memory_bytes = seen_.memory_bytes(),
          .memory_bytes_max = seen_.memory_bytes_max(),
          .hits = hit_count_,
          .overflow = seen_.overflow_count() + refused_count_};
}

void BloomWindow::count_memory() {
  if (!account_) return;
  if (const std::size_t bytes = seen_.memory_bytes(); bytes != memory_.bytes()) memory_.set(bytes);
}

}  // namespace weir::match
