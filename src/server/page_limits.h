// SPDX-License-Identifier: Apache-2.0
// How long the pages of a list are.
#pragma once

#include <cstddef>

namespace weir::server {

inline constexpr std::size_t kPageCount = 100;  // elements, unless another limit is asked for
inline constexpr std::size_t kPageCountMax = 1000;

}  // namespace weir::server
