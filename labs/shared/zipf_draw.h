// SPDX-License-Identifier: Apache-2.0
// ZipfDraw: ranks by Zipf's law. Rank i, from 0, has a weight of (i + 1)^-exponent, so that 0 is
// uniform.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/prng.h"

namespace weir::lab {

// The chances of all ranks; they add up to 1.
inline std::vector<double> zipf_weights(std::size_t item_count, double exponent) {
  std::vector<double> weights(item_count);
  double sum = 0;
  for (std::size_t i = 0; i < item_count; ++i) {
    sum += weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

class ZipfDraw {
 public:
  ZipfDraw(std::size_t item_count, double exponent) : sums_(zipf_weights(item_count, exponent)) {
    for (std::size_t i = 1; i < sums_.size(); ++i) sums_[i] += sums_[i - 1];
  }

  std::size_t next(base::Prng& prng) const {
    const auto found = std::ranges::upper_bound(sums_, prng.fraction());
    return std::min(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
  }

 private:
  std::vector<double> sums_;
};

}  // namespace weir::lab
