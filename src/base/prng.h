// SPDX-License-Identifier: Apache-2.0
// Prng: the one source of chance, splitmix64, seeded and the same on every machine.
#pragma once

#include <cstdint>

namespace weir::base {

class Prng {
 public:
  explicit Prng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  // Uniform in [0, 1).
  double fraction() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  // Uniform in [0, bound); bound > 0. The bias is below bound / 2^53.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(fraction() * static_cast<double>(bound));
  }

  bool chance(double probability) { return fraction() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace weir::base
