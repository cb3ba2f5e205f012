// SPDX-License-Identifier: Apache-2.0
#include "bloom/block_sizing.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "bloom/numeric.h"
#include "bloom/probe.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

// Keys per block at which every answer is "seen"; where the search for lambda begins.
constexpr double kLambdaMax = 4096;

}  // namespace

double block_false_positives(double lambda, std::uint32_t block_bits) {
  WEIR_CHECK(block_bits == 256 || block_bits == 512);
  const double word_bits = static_cast<double>(block_bits) / kBlockWordCount;
  const double log_unset = std::log1p(-1 / word_bits);
  return poisson_mean(lambda, [&](std::uint64_t j) {
    const double set = -std::expm1(static_cast<double>(j) * log_unset);
    const double fourth = set * set * set * set;
    return fourth * fourth;
  });
}

double block_lambda(double false_positives, std::uint32_t block_bits) {
  check_false_positives(false_positives);
  return largest_within(false_positives, kLambdaMax,
                        [&](double lambda) { return block_false_positives(lambda, block_bits); });
}

std::uint64_t block_count_for(double key_count, double false_positives, std::uint32_t block_bits) {
  WEIR_CHECK(key_count >= 0);
  const double wanted = std::ceil(key_count / block_lambda(false_positives, block_bits));
  const double highest = static_cast<double>(kCellCountMax) / block_bits;
  return static_cast<std::uint64_t>(std::clamp(wanted, 1.0, highest));
}

double block_bits_per_key(double false_positives, std::uint32_t block_bits) {
  return block_bits / block_lambda(false_positives, block_bits);
}

}  // namespace weir::bloom
