// SPDX-License-Identifier: Apache-2.0
// FilterLimits: how large a filter may be, whoever wrote it. Exceeding one is an error of its own.
#pragma once

#include <cstddef>

namespace weir::filter {

// What `false positives <= P` may ask for. Who needs fewer has exact and verify; with more, most of
// what is new could be lost.
inline constexpr double kFalsePositivesMin = 1e-9;
inline constexpr double kFalsePositivesMax = 0.5;

// What may stand after `about`.
inline constexpr std::size_t kPhraseCountMax = 64;
inline constexpr std::size_t kQueryTermCountMax = 1024;  // once it is analysed

struct FilterLimits {
  std::size_t text_bytes_max = 8192;
  std::size_t depth_max = 64;                // nesting of parentheses, not, and filter objects
  std::size_t list_count_max = 1024;         // elements of in (...), fields of text, keys, all, any
  std::size_t pattern_bytes_max = 1024;      // of like
  std::size_t conjunction_count_max = 1024;  // of the disjunctive normal form
  std::size_t term_count_max = 16384;        // in all conjunctions together

  bool operator==(const FilterLimits&) const = default;
};

}  // namespace weir::filter
