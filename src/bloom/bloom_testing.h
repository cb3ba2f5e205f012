// SPDX-License-Identifier: Apache-2.0
// What tests of Bloom structures share: keys, and whether a measured rate fits its formula.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::bloom {

// Distinct keys, the same for the same seed; those of another seed are other keys.
std::vector<std::uint64_t> random_keys(std::uint64_t seed, std::size_t count);

// Whether so many hits in so many independent trials lie in the 99 % band of the probability
// (normal approximation, 2.576 standard deviations, and one hit for the steps of counting).
bool within_band(std::uint64_t hit_count, std::uint64_t trial_count, double probability);

}  // namespace weir::bloom
