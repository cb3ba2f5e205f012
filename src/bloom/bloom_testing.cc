// SPDX-License-Identifier: Apache-2.0
#include "bloom/bloom_testing.h"

#include <cmath>

#include "base/prng.h"

namespace weir::bloom {

// One splitmix64 stream does not repeat; two streams of random keys hardly ever meet.
std::vector<std::uint64_t> random_keys(std::uint64_t seed, std::size_t count) {
  base::Prng prng(base::Prng(seed).next());
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t& key : keys) key = prng.next();
  return keys;
}

bool within_band(std::uint64_t hit_count, std::uint64_t trial_count, double probability) {
  const double expected = probability * static_cast<double>(trial_count);
  const double deviation = std::sqrt(expected * (1 - probability));
  return std::abs(static_cast<double>(hit_count) - expected) <= 2.576 * deviation + 1;
}

}  // namespace weir::bloom
