// SPDX-License-Identifier: Apache-2.0
// The small numbers by which the parts of the content matcher name things. All are reused once
// free.
#pragma once

#include <cstdint>
#include <limits>

namespace weir::match::content {

using SlotId = std::uint32_t;     // an operand of some filter: a path and its conversion
using NodeId = std::uint32_t;     // a step of some path, in the trie of all paths
using PointId = std::uint32_t;    // a value that some filter compares an operand with
using ColumnId = std::uint32_t;   // one way to write a slot's value as a code
using RecordRef = std::uint32_t;  // a conjunction of some filter
using BucketId = std::uint32_t;   // conjunctions that are reached together

inline constexpr std::uint32_t kNoId = std::numeric_limits<std::uint32_t>::max();

}  // namespace weir::match::content
