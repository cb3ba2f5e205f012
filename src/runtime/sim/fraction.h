// SPDX-License-Identifier: Apache-2.0
// Fraction: a probability in whole numbers, so that all machines draw alike.
#pragma once

#include <cstdint>

#include "base/prng.h"

namespace weir::runtime::sim {

struct Fraction {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;

  bool is_zero() const { return numerator == 0; }
  // Draws a number only if the fraction is not zero.
  bool strikes(base::Prng& prng) const {
    return !is_zero() && prng.next() % denominator < numerator;
  }
};

}  // namespace weir::runtime::sim
