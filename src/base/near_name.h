// SPDX-License-Identifier: Apache-2.0
// Near names: what a mistyped word was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir::base {

// The candidate within two slips of the pen (letter added, lost, changed, or two swapped; upper and
// lower case are the same), the nearest first; empty if none is near. Costs |word| * |candidate|.
std::string_view near_name(std::string_view word, std::span<const std::string_view> candidates);

// ": did you mean 'like'?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace weir::base
