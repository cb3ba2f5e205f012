// SPDX-License-Identifier: Apache-2.0
#include "match/text_finding.h"

#include <algorithm>
#include <cmath>

namespace weir::match {

std::uint64_t to_ten_thousandths(double value) {
  constexpr double kUnits = 10'000;
  constexpr double kLargest = 1e15;
  const double units = value * kUnits;
  if (!(units > 0)) return 0;
  return static_cast<std::uint64_t>(std::llround(std::min(units, kLargest)));
}

}  // namespace weir::match
