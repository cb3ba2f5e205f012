// SPDX-License-Identifier: Apache-2.0
#include "broker/log_shares.h"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.h"
#include "broker/largest_uses.h"

namespace weir::broker {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kBucketBytesMin = 2;
constexpr std::size_t kOwnerBytesMin = 2;

}  // namespace

base::Result<void> LogShares::check(std::string_view owner, std::uint64_t bytes) const {
  if (limits_.owner_bytes_max == 0) return {};
  const std::scoped_lock lock(mutex_);
  const auto found = totals_.find(owner);
  const std::uint64_t used = found == totals_.end() ? 0 : found->second;
  if (used + bytes <= limits_.owner_bytes_max) return {};
  return base::Error{base::ErrorId::kBrokerQuota,
                     fmt::format("your events take {} bytes of the log, the limit is {}; there is "
                                 "room again when older ones have left it",
                                 used, limits_.owner_bytes_max),
                     std::nullopt};
}

void LogShares::add(const std::vector<Part>& parts, std::uint64_t last_sequence) {
  const std::scoped_lock lock(mutex_);
  if (buckets_.empty() || buckets_.back().bytes >= limits_.bucket_bytes) buckets_.emplace_back();
  Bucket& bucket = buckets_.back();
  bucket.last_sequence = last_sequence;
  for (const Part& part : parts) {
    bucket.bytes += part.bytes;
    bucket.owners[part.owner] += part.bytes;
    totals_[part.owner] += part.bytes;
  }
}

void LogShares::retire_before(std::uint64_t first_sequence) {
  const std::scoped_lock lock(mutex_);
  while (!buckets_.empty() && buckets_.front().last_sequence < first_sequence) {
    for (const auto& [owner, bytes] : buckets_.front().owners) {
      const auto total = totals_.find(owner);
      total->second -= bytes;
      if (total->second == 0) totals_.erase(total);
    }
    buckets_.pop_front();
  }
}

std::vector<MemoryUse> LogShares::largest(std::size_t count_max) const {
  std::vector<MemoryUse> uses;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [owner, bytes] : totals_) uses.push_back({owner, bytes});
  }
  return largest_uses(std::move(uses), count_max);
}

std::string LogShares::save() const {
  const std::scoped_lock lock(mutex_);
  base::ByteWriter writer;
  writer.u8(kVersion);
  writer.varint(buckets_.size());
  for (const Bucket& bucket : buckets_) {
    writer.varint(bucket.last_sequence);
    writer.varint(bucket.owners.size());
    for (const auto& [owner, bytes] : bucket.owners) {
      writer.text(owner);
      writer.varint(bytes);
    }
  }
  return writer.take();
}

base::Result<void> LogShares::restore(std::string_view bytes) {
  base::ByteReader reader(bytes);
  if (reader.u8() != kVersion) reader.fail();
  std::deque<Bucket> buckets;
  for (auto count = reader.count(kBucketBytesMin); count > 0 && !reader.failed(); --count) {
    Bucket& bucket = buckets.emplace_back();
    bucket.last_sequence = reader.varint();
    for (auto owners = reader.count(kOwnerBytesMin); owners > 0 && !reader.failed(); --owners) {
      std::string owner(reader.text());
      const std::uint64_t taken = reader.varint();
      bucket.bytes += taken;
      if (!bucket.owners.emplace(std::move(owner), taken).second) reader.fail();
    }
  }
  if (!reader.done()) {
    return base::Error{base::ErrorId::kStoreCorrupt,
                       "the record of whose events are in the log is malformed", std::nullopt};
  }
  const std::scoped_lock lock(mutex_);
  buckets_ = std::move(buckets);
  totals_.clear();
  for (const Bucket& bucket : buckets_) count(bucket);
  return {};
}

void LogShares::count(const Bucket& bucket) {
  for (const auto& [owner, bytes] : bucket.owners) totals_[owner] += bytes;
}

}  // namespace weir::broker
