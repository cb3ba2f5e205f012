// SPDX-License-Identifier: Apache-2.0
// Random walks over the integers, by several laws, and one law without a walk. The same options
// give the same streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "002/workload.h"

namespace weir::lab {

enum class Law : std::uint8_t {
  kUnit,       // steps of -1 or 1
  kUniform,    // steps of -3 to 3
  kJumps,      // |step| >= k with a chance of (k + 1)^-2: three of four are 0, some are large
  kTrend,      // steps of -1 or 1, up with a chance of 3/4
  kReverting,  // each step leads a tenth of the way back to 0, and up to 17 away from there
  kNoisy,      // a kUnit walk, seen through an error of -5 to 5
  kLevel,      // no walk: -30 to 30, each value by itself
};
inline constexpr Law kLaws[] = {Law::kUnit,      Law::kUniform, Law::kJumps, Law::kTrend,
                                Law::kReverting, Law::kNoisy,   Law::kLevel};
std::string_view name_of(Law law);

struct WalkOptions {
  std::string_view name;
  Law law = Law::kUnit;
  std::size_t stream_count = 0;
  std::size_t length = 0;  // values of each stream
  std::uint64_t seed = 1;
};
Workload make_walks(const WalkOptions& options);

}  // namespace weir::lab
