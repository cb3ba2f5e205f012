// SPDX-License-Identifier: Apache-2.0
#include "bloom/generational_sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "bloom/numeric.h"
#include "bloom/sizing.h"

namespace weir::bloom {
namespace {

constexpr double kFullGenerationCount = kGenerationCount - 1;
constexpr double kGenerationNumberBytes = 2;
constexpr double kLineBytes = 64;

// A word this full has its two bits set, to the last digit of a double.
constexpr std::size_t kKeyCountMax = 1280;
// Keys per word at which every answer is "seen"; where the search for lambda begins.
constexpr double kLambdaMax = 1024;

// f(j) = sum over i of (-1)^i binom(2, i) [binom(64 - i, 2) / binom(64, 2)]^j; these are the bases,
// with which one key leaves a given bit unset, and both of two given bits.
constexpr double kOneUnset = 62.0 / 64;
constexpr double kBothUnset = 62.0 * 61 / (64.0 * 63);

// f(j)^C, and its sum over all counts below j.
struct LaneTable {
  std::array<double, kKeyCountMax> hit{};
  std::array<double, kKeyCountMax> hits_below{};
};

constexpr double power(double value, std::uint32_t line_count) {
  const double fourth = value * value * value * value;
  return line_count == 4 ? fourth : fourth * fourth;
}

LaneTable make_table(std::uint32_t line_count) {
  LaneTable table;
  double sum = 0;
  for (std::size_t j = 0; j < kKeyCountMax; ++j) {
    table.hits_below[j] = sum;
    table.hit[j] = power(pair_false_positives(j), line_count);
    sum += table.hit[j];
  }
  return table;
}

const LaneTable& table_for(std::uint32_t line_count) {
  WEIR_CHECK(line_count == 4 || line_count == 8);
  static const LaneTable kFour = make_table(4);
  static const LaneTable kEight = make_table(8);
  return line_count == 4 ? kFour : kEight;
}

std::uint32_t line_count_for(double false_positives) {
  return false_positives >= kFourLinesFalsePositivesMin ? 4 : 8;
}

double bucket_bytes(std::uint32_t line_count) {
  return line_count * kLineBytes + kGenerationNumberBytes;
}

}  // namespace

double pair_false_positives(std::uint64_t key_count) {
  if (key_count == 0) return 0;
  const auto j = static_cast<double>(key_count);
  return 1 - 2 * std::pow(kOneUnset, j) + std::pow(kBothUnset, j);
}

double generational_lane_false_positives(double lambda, std::uint32_t line_count) {
  const LaneTable& table = table_for(line_count);
  if (lambda > 2 * kKeyCountMax) return 1;  // whatever the count is, all bits are set
  return poisson_mean(lambda, [&](std::uint64_t j) { return j < kKeyCountMax ? table.hit[j] : 1; });
}

double generational_current_false_positives(double lambda, std::uint32_t line_count) {
  const LaneTable& table = table_for(line_count);
  if (lambda <= 0) return 0;
  // The mean of Poisson(j; u * lambda) over u is P(J > j) / lambda for J ~ Poisson(lambda); summed
  // the other way round, every J contributes the hits of all counts below it.
  const auto hits_below = [&](std::uint64_t j) {
    if (j < kKeyCountMax) return table.hits_below[j];
    return table.hits_below.back() + static_cast<double>(j - (kKeyCountMax - 1));
  };
  return poisson_mean(lambda, hits_below) / lambda;
}

double generational_false_positives(double lambda, std::uint32_t line_count) {
  const double full = generational_lane_false_positives(lambda, line_count);
  const double current = generational_current_false_positives(lambda, line_count);
  // 1 - (1 - full)^7 * (1 - current), without the loss of digits where both are small.
  return -std::expm1(kFullGenerationCount * std::log1p(-full) + std::log1p(-current));
}

double generational_lambda(double false_positives, std::uint32_t line_count) {
  check_false_positives(false_positives);
  return largest_within(false_positives, kLambdaMax, [&](double lambda) {
    return generational_false_positives(lambda, line_count);
  });
}

GenerationalShape generational_shape(double live_key_count, double false_positives) {
  WEIR_CHECK(live_key_count >= 0);
  const std::uint32_t line_count = line_count_for(false_positives);
  const double lambda = generational_lambda(false_positives, line_count);
  const double wanted = std::ceil(live_key_count / (kFullGenerationCount * lambda));
  const double bucket_count = std::clamp(wanted, 1.0, static_cast<double>(kBucketCountMax));
  return {static_cast<std::uint32_t>(bucket_count), line_count};
}

std::uint64_t generational_bytes(GenerationalShape shape) {
  return static_cast<std::uint64_t>(shape.bucket_count * bucket_bytes(shape.line_count));
}

double generational_live_keys(GenerationalShape shape, double false_positives) {
  const double lambda = generational_lambda(false_positives, shape.line_count);
  return kFullGenerationCount * lambda * shape.bucket_count;
}

double generational_bits_per_live_key(double false_positives) {
  const std::uint32_t line_count = line_count_for(false_positives);
  const double lambda = generational_lambda(false_positives, line_count);
  return bucket_bytes(line_count) * 8 / (kFullGenerationCount * lambda);
}

}  // namespace weir::bloom
