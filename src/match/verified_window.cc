// SPDX-License-Identifier: Apache-2.0
#include "match/verified_window.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <limits>

#include "base/check.h"
#include "base/hash.h"

namespace weir::match {
namespace {

constexpr std::size_t kEntryBytesMin = 10;
constexpr std::size_t kStaleAgesMax = 64;
constexpr base::Instant kFirst{std::numeric_limits<std::int64_t>::min()};

}  // namespace

VerifiedWindow::VerifiedWindow(const DistinctWindowOptions& options)
    : options_(options), memory_(options.memory) {
  WEIR_CHECK(options.confirm);
}

std::uint64_t VerifiedWindow::hash(std::string_view key) const {
  return base::hash_bytes(key, options_.seed);
}

bool VerifiedWindow::test_and_set(std::string_view key, base::Instant now, std::uint64_t sequence) {
  expire(now);
  const std::uint64_t hashed = hash(key);
  const auto found = seen_.find(hashed);
  if (found == seen_.end()) {
    if (seen_.size() >= options_.key_count_max || !options_.has_memory()) {
      ++overflow_count_;
    } else {
      remember(hashed, {now, sequence});
    }
    return true;
  }
  const bool confirmed = options_.confirm(found->second.sequence, key);
  ++(confirmed ? hit_count_ : refuted_count_);
  if (!confirmed || options_.refresh) remember(hashed, {now, sequence});
  return !confirmed;
}

bool VerifiedWindow::test(std::string_view key, base::Instant now) const {
  const auto found = seen_.find(hash(key));
  return found == seen_.end() || found->second.at + options_.within <= now ||
         !options_.confirm(found->second.sequence, key);
}

base::Result<bool> VerifiedWindow::forget(std::string_view key, base::Instant now) {
  expire(now);
  const auto found = seen_.find(hash(key));
  if (found == seen_.end() || !options_.confirm(found->second.sequence, key)) return false;
  seen_.erase(found);
  return true;
}

void VerifiedWindow::remember(std::uint64_t hashed, const Seen& seen) {
  seen_.insert_or_assign(hashed, seen);
  ages_.push_back({seen.at, hashed});
  if (ages_.size() > 2 * seen_.size() + kStaleAgesMax) drop_stale_ages();
  if (const std::size_t bytes = memory_bytes(); bytes != memory_.bytes()) memory_.set(bytes);
}

// Keys that are seen again and again leave an age each time.
void VerifiedWindow::drop_stale_ages() {
  boost::unordered_flat_set<std::uint64_t, Identity> kept;
  std::erase_if(ages_,
                [&](const Age& age) { return !is_current(age) || !kept.insert(age.hash).second; });
}

bool VerifiedWindow::is_current(const Age& age) const {
  const auto found = seen_.find(age.hash);
  return found != seen_.end() && found->second.at == age.at;
}

void VerifiedWindow::expire(base::Instant now) {
  while (!ages_.empty() && ages_.front().at + options_.within <= now) {
    if (is_current(ages_.front())) seen_.erase(ages_.front().hash);
    ages_.pop_front();
  }
}

void VerifiedWindow::save(base::ByteWriter& writer) const {
  writer.u64(options_.seed);
  writer.varint(overflow_count_);
  writer.varint(seen_.size());
  base::Instant before = kFirst;
  boost::unordered_flat_set<std::uint64_t, Identity> written;
  for (const Age& age : ages_) {
    if (!is_current(age) || !written.insert(age.hash).second) continue;
    writer.varint(static_cast<std::uint64_t>(age.at.nanoseconds) -
                  static_cast<std::uint64_t>(before.nanoseconds));
    writer.u64(age.hash);
    writer.varint(seen_.find(age.hash)->second.sequence);
    before = age.at;
  }
}

base::Result<void> VerifiedWindow::restore(base::ByteReader& reader, base::Instant& latest) {
  options_.seed = reader.u64();
  overflow_count_ = reader.varint();
  const std::uint64_t count = reader.count(kEntryBytesMin);
  if (count > options_.key_count_max) return too_many_keys(count, options_.key_count_max);
  base::Instant at = kFirst;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    if (__builtin_add_overflow(at.nanoseconds, reader.varint(), &at.nanoseconds)) reader.fail();
    const std::uint64_t hashed = reader.u64();
    const std::uint64_t sequence = reader.varint();
    if (seen_.contains(hashed)) reader.fail();
    remember(hashed, {at, sequence});
  }
  if (count > 0) latest = std::max(latest, at);
  return {};
}

std::size_t VerifiedWindow::memory_bytes() const {
  return seen_.bucket_count() * kPlaceBytes + ages_.size() * sizeof(Age);
}

DistinctStats VerifiedWindow::stats() const {
  return {.key_count = seen_.size(),
          .key_count_max = options_.key_count_max,
          .memory_bytes = memory_bytes(),
          .memory_bytes_max = options_.key_count_max * (kPlaceBytes * 8 / 3 + 2 * sizeof(Age)),
          .hits = hit_count_,
          .refuted_hits = refuted_count_,
          .overflow = overflow_count_};
}

}  // namespace weir::match
