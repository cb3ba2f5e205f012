// SPDX-License-Identifier: Apache-2.0
// TopShares: the largest of some shares, and from them what a filter can reach at most.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <tuple>

#include "match/text/posting_lists.h"

namespace weir::match::text {

class TopShares {
 public:
  void add(double share) {
    total_ += share;
    if (share <= top_[kCount - 1]) return;
    std::size_t at = kCount - 1;
    for (; at > 0 && top_[at - 1] < share; --at) top_[at] = top_[at - 1];
    top_[at] = share;
    for (; at < kCount; ++at) sums_[at + 1] = sums_[at] + top_[at];
  }

  // What the share of one term and the largest shares of so many others make at most, where the
  // shares of all were added; a little more, whatever the order in which a sum is rounded.
  float reach(double share, std::size_t other_count) const {
    const std::size_t few = std::min(other_count, kCount - 1);
    double sum = sums_[few] + std::min(share, top_[few]);
    if (other_count > few) {
      sum += static_cast<double>(other_count - few) * top_[kCount - 1];
      sum = std::min(sum, total_);
    }
    return rounded_up(sum);
  }
  // Whether a term with that share can reach one of the least thresholds of its rows.
  bool opens(const PostingLists::Gate& gate, double share) const {
    static_assert(std::tuple_size_v<PostingLists::Gate> == 4);
    if (gate[0] <= reach(share, 0) || gate[1] <= reach(share, 1)) return true;
    return gate[2] <= reach(share, 2) || gate[3] <= rounded_up(total_);
  }

  // A sum of n doubles that are not negative is rounded by less than n * 2^-53 of it, in whatever
  // order; there are less than 2^32 terms.
  static constexpr double kMargin = 1 + 0x1.0p-20;

 private:
  static float rounded_up(double sum) {
    constexpr auto kMax = static_cast<double>(std::numeric_limits<float>::max());
    return static_cast<float>(std::min(sum * kMargin, kMax));
  }

  static constexpr std::size_t kCount = RowKind::kInlineCount;

  std::array<double, kCount> top_{};       // descending
  std::array<double, kCount + 1> sums_{};  // of the first so many of them
  double total_ = 0;
};

}  // namespace weir::match::text
