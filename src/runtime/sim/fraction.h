// SPDX-License-Identifier: Apache-2.0
// Fraction: how often a fault strikes, in whole numbers, so that every machine draws alike.
#pragma once

#include <cstdint>

#include "base/prng.h"

namespace weir::runtime::sim {

struct Fraction {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;

  bool is_zero() const { return numerator == 0; }
  // Takes a number from the generator only if there is something to decide.
  bool strikes(base::Prng& prng) const {
    return !is_zero() && prng.next() % denominator < numerator;
  }
};

}  // namespace weir::runtime::sim
