// SPDX-License-Identifier: Apache-2.0
// The two pieces of numerical work that sizing needs: a mean over a Poisson count, and where a
// rising function crosses a limit. Both take a few microseconds.
#pragma once

#include <cmath>
#include <cstdint>

namespace weir::bloom {

// The mean of value(j), 0 <= value <= j + 1, over j ~ Poisson(lambda); requires lambda >= 0. Sums
// from the mode outwards with the mode's weight taken as 1, so that no factorial and no e^-lambda
// can overflow or vanish.
template <class Value>
double poisson_mean(double lambda, Value value) {
  constexpr double kNegligible = 1e-30;
  const auto mode = static_cast<std::uint64_t>(lambda);
  double weights = 1;
  double sum = value(mode);
  double weight = 1;
  for (std::uint64_t j = mode; j > 0 && weight > kNegligible; --j) {
    weight *= static_cast<double>(j) / lambda;
    weights += weight;
    sum += weight * value(j - 1);
  }
  weight = 1;
  for (std::uint64_t j = mode + 1; weight > kNegligible; ++j) {
    weight *= lambda / static_cast<double>(j);
    weights += weight;
    sum += weight * value(j);
  }
  return sum / weights;
}

// The largest x in [0, highest] with rising(x) <= limit, as near as a double can tell.
template <class Rising>
double largest_within(double limit, double highest, Rising rising) {
  double low = 0;
  double high = highest;
  if (rising(high) <= limit) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (rising(middle) <= limit ? low : high) = middle;
  }
  return low;
}

}  // namespace weir::bloom
