// SPDX-License-Identifier: Apache-2.0
// How large a generational filter must be, and how often it errs.
//
// The filter: 8 generations; a bucket has C lines of 64 bytes, and in each line one 64-bit word (a
// lane) for each generation. A key sets 2 distinct bits in its bucket's word of the current
// generation in each of the C lines. Buckets begin a new generation one after another, so that at
// any moment a bucket's current generation is filled to a share u, uniform in [0, 1), and its
// seven others are full: every moment is alike, and "the worst moment" is any.
//
// lambda is the number of keys per bucket and generation, so a filter holds 7 * lambda keys per
// bucket within its window. With j keys in a word, two given bits are both set with probability
// f(j), and with Poisson counts
//
//   F(lambda) = sum over j of Poisson(j; lambda) * f(j)^C                one generation
//   P         = 1 - (1 - F(lambda))^7 * (1 - mean of F(u * lambda))      all of them
//
//   wanted P    C   lambda   bits per live key      of which 16 bits per bucket
//      1 %      4   16.36    18.02                  0.14
//      0.1 %    8   23.33    25.18                  0.10
#pragma once

#include <cstdint>

namespace weir::bloom {

struct GenerationalShape {
  std::uint32_t bucket_count = 0;
  std::uint32_t line_count = 0;  // C, 4 or 8

  bool operator==(const GenerationalShape&) const = default;
};

inline constexpr std::uint32_t kBucketCountMax = 1U << 22U;
inline constexpr std::uint32_t kGenerationCount = 8;
// From here on 4 lines, which are half as many to touch, need at most 4 % more memory than 8.
inline constexpr double kFourLinesFalsePositivesMin = 0.003;

// f(j): two distinct bits, drawn as a pair, are set after key_count other pairs.
double pair_false_positives(std::uint64_t key_count);

// F(lambda); below a microsecond. Requires lambda >= 0 and line_count 4 or 8, here and below.
double generational_lane_false_positives(double lambda, std::uint32_t line_count);

// The mean of F(u * lambda) over u in [0, 1]: the generation that is being filled.
double generational_current_false_positives(double lambda, std::uint32_t line_count);

// P of the whole filter.
double generational_false_positives(double lambda, std::uint32_t line_count);

// The largest lambda with P <= false_positives. Here and below requires false_positives in
// [kFalsePositivesMin, kFalsePositivesMax]; about a tenth of a millisecond.
double generational_lambda(double false_positives, std::uint32_t line_count);

// At least one bucket, and never more than kBucketCountMax: beyond that the shape holds fewer keys
// than were asked for, and generational_live_keys() says how many.
GenerationalShape generational_shape(double live_key_count, double false_positives);

// Lines and two bytes per bucket for the number of its generation.
std::uint64_t generational_bytes(GenerationalShape shape);

// How many keys per window the shape holds with that many false positives.
double generational_live_keys(GenerationalShape shape, double false_positives);

// Of the shape that generational_shape() chooses, where the whole number of buckets is no matter.
double generational_bits_per_live_key(double false_positives);

}  // namespace weir::bloom
