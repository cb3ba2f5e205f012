// SPDX-License-Identifier: Apache-2.0
#include "match/change/moment_buckets.h"

#include <utility>

namespace weir::match {

void MomentBuckets::pass(base::Instant now, std::vector<Moment>& passed) {
  const std::size_t before = passed.size();
  const auto changed = static_cast<std::size_t>(std::bit_width(bits(now) ^ bits(now_)));
  now_ = now;
  for (std::size_t i = 0; i <= changed; ++i) {
    if (buckets_[i].empty()) continue;
    std::swap(moving_, buckets_[i]);
    for (const Moment& moment : moving_) {
      if (moment.at <= now) {
        passed.push_back(moment);
      } else {
        buckets_[bucket_of(moment.at)].push_back(moment);
      }
    }
    moving_.clear();
    // A bucket that is refilled again and again keeps its memory.
    if (buckets_[i].empty()) std::swap(moving_, buckets_[i]);
  }
  size_ -= passed.size() - before;
}

std::size_t MomentBuckets::memory_bytes() const {
  std::size_t count = moving_.capacity();
  for (const std::vector<Moment>& bucket : buckets_) count += bucket.capacity();
  return count * sizeof(Moment);
}

}  // namespace weir::match
