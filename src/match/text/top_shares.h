// SPDX-License-Identifier: Apache-2.0
// TopShares: the largest of some shares, and from them what a filter can reach at most.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "match/text/posting_lists.h"

namespace weir::match::text {

class TopShares {
 public:
  // A sum of n doubles that are not negative is rounded by less than n * 2^-53 of it, in whatever
  // order; there are less than 2^32 terms.
  static constexpr double kMargin = 1 + 0x1.0p-20;

  // Without a branch: where a share belongs is hard to foresee.
  void add(double share) {
    const double value = share * kMargin;
    total_ += value;
    for (std::size_t i = kCount - 1; i > 0; --i) {
      top_[i] = std::max(top_[i], std::min(top_[i - 1], value));
    }
    top_[0] = std::max(top_[0], value);
  }

  // What the share of one term and the largest shares of so many others make at most, where the
  // shares of all were added; a little more, whatever the order in which a sum is rounded.
  double reach(double share, std::size_t other_count) const {
    const std::size_t few = std::min(other_count, kCount - 1);
    double sum = std::min(share * kMargin, top_[few]);
    for (std::size_t i = 0; i < few; ++i) sum += top_[i];
    if (other_count == few) return sum;
    sum += static_cast<double>(other_count - few) * top_[kCount - 1];
    return std::min(sum, total_);
  }

  // Whether a term with that share can reach one of the least thresholds of its rows.
  bool opens(const RowGate& gate, double share) const {
    const double value = share * kMargin;
    const auto least = [&](std::size_t i) { return static_cast<double>(gate.least(i)); };
    return least(0) <= value || least(1) <= top_[0] + std::min(value, top_[1]) ||
           least(2) <= top_[0] + top_[1] + std::min(value, top_[2]) || least(3) <= total_;
  }

 private:
  static constexpr std::size_t kCount = RowKind::kInlineCount;

  std::array<double, kCount> top_{};  // descending; with the margin, as the total
  double total_ = 0;
};

}  // namespace weir::match::text
