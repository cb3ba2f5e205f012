// SPDX-License-Identifier: Apache-2.0
// Codes: what an event has in a slot, as 32-bit numbers that filters can be compared with.
//
// A slot has up to three columns, and an event a code in each:
//
//   column    code
//   point     0: no value; 1: a value that no filter names; otherwise the point that it is, plus 2
//   number    0: no number; otherwise its place among all numbers
//   time      0: no timestamp; otherwise its place among all timestamps
//
// A slot of a path with [*] may have several values. Its code tells only whether there is one: 0 or
// 1 in each column. Tests of ranges let 1 pass, and a check of all values decides.
//
// Places keep the order of values but are coarse. The lowest bit tells whether the value stands
// exactly on its place (0) or somewhere between it and the next (1):
//
//     place 2c        2c + 1           2c + 2          integers up to 2^20, halves, whole seconds:
//     -------|--------------------------|------->      exact. 0.1: between
//
// So a comparison of places decides a comparison of values, unless both lie between the same two.
#pragma once

#include <cstdint>

#include "event/value.h"
#include "match/content/ids.h"

namespace weir::match::content {

using Code = std::uint32_t;

inline constexpr Code kMissingCode = 0;
inline constexpr Code kOtherCode = 1;
inline constexpr Code kPointCodeMin = 2;
// In a column of numbers or times, of which all codes are above: one value at least.
inline constexpr Code kManyCode = 1;

enum class ColumnKind : std::uint8_t { kPoint, kNumber, kTime };
inline constexpr std::uint32_t kColumnKindCount = 3;

constexpr ColumnId column_of(SlotId slot, ColumnKind kind) {
  return slot * kColumnKindCount + static_cast<std::uint32_t>(kind);
}
constexpr SlotId slot_of(ColumnId column) { return column / kColumnKindCount; }
constexpr ColumnKind kind_of(ColumnId column) {
  return static_cast<ColumnKind>(column % kColumnKindCount);
}

constexpr Code point_code(PointId point) { return point + kPointCodeMin; }

// True if the value lies between places.
constexpr bool is_between(Code place) { return (place & 1U) != 0; }

// Requires a number that is not NaN. At least 2.
Code number_code(const event::Value& value);
// How far a number lies beyond its place; with the code, that is the number itself.
std::uint64_t number_fraction(double number);
double number_at(Code code, std::uint64_t fraction);
inline constexpr unsigned kFractionBits = 33;
// At least 2.
Code time_code(event::Timestamp timestamp);

}  // namespace weir::match::content
