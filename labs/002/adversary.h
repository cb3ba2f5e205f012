// SPDX-License-Identifier: Apache-2.0
// The adversary of Theorem 1: reveals a stream item by item and chooses its rest by what the
// online algorithm did, so that it must deliver nearly everything while two or three deliveries
// would have done. The threshold is 3.
//
//   4 8 9 | delivered:      5 9 5 9 ...     X_2: {4, 8} suffices, all n are delivered
//         | not delivered:  12 6 12 6 ...   X_1: {4, 8, 9} suffices, n - 1 are delivered
//
// The 4 only adds a delivery to both sides. Without it (ours) the ratios are n / 1 and (n - 1) / 2
// instead of n / 2 and (n - 1) / 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "002/online.h"
#include "002/workload.h"

namespace weir::lab {

inline constexpr Value kAdversaryThreshold = 3;

enum class Opening : std::uint8_t { kPaper, kShort };
inline constexpr Opening kOpenings[] = {Opening::kPaper, Opening::kShort};
std::string_view name_of(Opening opening);
std::size_t opening_length(Opening opening);

struct Duel {
  Stream stream;                       // as it was revealed
  std::vector<std::size_t> delivered;  // indices of what the algorithm delivered
  bool took_bait = false;              // the 9: X_2 was revealed
};
// A stream of so many items, at least as many as the opening has. The algorithm has the adversary's
// threshold and has seen nothing before.
Duel play(OnlineAlgorithm& algorithm, Opening opening, std::size_t length);

}  // namespace weir::lab
