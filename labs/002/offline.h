// SPDX-License-Identifier: Apache-2.0
// Conformance (P1) and the fewest deliveries that keep it, for who knows the whole stream.
//
// P1: what is delivered is a subsequence x_i1, x_i2, ... of the stream, each item at its own
// instant, and |x_t - x_im| <= c for every t from i_m until before i_(m+1). Nothing comes before
// the first delivery, so that is x_1. Thresholds are not negative.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "002/workload.h"

namespace weir::lab {

// P1, by definition; `delivered` are ascending indices into the stream.
bool conforms(std::span<const Value> stream, std::span<const std::size_t> delivered,
              Value threshold);

// GlobalOpt, the paper's Algorithm 3: indices of a smallest subsequence that keeps P1, ascending.
// From the end, it delivers the first item that is within c of everything behind it, and goes on
// with what is before that item.
//
// Why this is least: let f(n) be the fewest deliveries for the first n items. Leaving out what a
// solution for n + 1 items delivers behind n gives one for n, so f does not fall; and f(n) is
// 1 + f(i - 1) for some item i that is within c of all from i to n, least for the first of them.
//
// Time: each item is looked at once for every later delivery whose items up to it span at most 2c.
std::vector<std::size_t> global_opt(std::span<const Value> stream, Value threshold);

// The fewest deliveries if the value delivered were free to choose (ours; no subsequence, so not
// P1): whatever spans at most 2c needs one.
std::size_t free_value_count(std::span<const Value> stream, Value threshold);

}  // namespace weir::lab
