// SPDX-License-Identifier: Apache-2.0
// MomentBuckets: what is to be looked at once an instant has passed, in no order.
//
// A radix heap: a moment lies in the bucket of the highest bit in which it differs from now. When
// time goes on, the buckets up to the highest bit that changes are gone through: what has passed
// leaves them, the rest moves to lower ones. So all work is from one end of an array to the other,
// and a moment is moved at most once for each of its bits.
//
//   now  0110    0111 in bucket 1    1000 .. 1111 in bucket 4
//   now  1001    0111 has passed     1010, 1011 in bucket 2, 1100 .. 1111 in bucket 3
//
// Nothing is taken out otherwise: whoever looks knows whether a moment is still of use. tidy()
// keeps those that are not from becoming the most. Single-threaded.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/instant.h"
#include "match/change/moment.h"

namespace weir::match {

class MomentBuckets {
 public:
  std::size_t size() const { return size_; }
  void push(const Moment& moment) {
    buckets_[bucket_of(moment.at)].push_back(moment);
    ++size_;
  }
  // Appends all that have passed by now, which does not go back.
  void pass(base::Instant now, std::vector<Moment>& passed);

  // Drops whatever is not of use, and what is there twice, if there are many more than these.
  template <typename IsOfUse>
  void tidy(std::size_t used_count, const IsOfUse& is_of_use);

  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kSpareCount = 64;

  static std::uint64_t bits(base::Instant at) {
    return static_cast<std::uint64_t>(at.nanoseconds) ^ (std::uint64_t{1} << 63U);
  }
  std::size_t bucket_of(base::Instant at) const {
    return at <= now_ ? 0 : static_cast<std::size_t>(std::bit_width(bits(at) ^ bits(now_)));
  }

  base::Instant now_ = {std::numeric_limits<std::int64_t>::min()};
  std::array<std::vector<Moment>, 65> buckets_;
  std::size_t size_ = 0;
  std::vector<Moment> moving_;  // within pass()
};

template <typename IsOfUse>
void MomentBuckets::tidy(std::size_t used_count, const IsOfUse& is_of_use) {
  if (size_ <= 2 * used_count + kSpareCount) return;
  size_ = 0;
  for (std::vector<Moment>& bucket : buckets_) {
    std::erase_if(bucket, [&](const Moment& moment) { return !is_of_use(moment); });
    std::ranges::sort(bucket);
    const auto repeated = std::ranges::unique(bucket);
    bucket.erase(repeated.begin(), repeated.end());
    size_ += bucket.size();
  }
}

}  // namespace weir::match
