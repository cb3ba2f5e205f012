// SPDX-License-Identifier: Apache-2.0
// CodeTest: a term of a conjunction as a test of one code: low <= code <= low + span, modulo 2^32.
//
//   data.x = 5          the point 5        low p      span 0
//   not data.x = 5      any other code     low p + 1  span 2^32 - 2
//   exists data.x       any code but 0     low 1      span 2^32 - 2
//   data.x > 20         places above 20    low ...    span ...
//   not data.x > 20     all other codes, also 0: no number
//
// Where a bound lies between places the test takes in values between the same two, though some of
// them may be beyond it: a tie. After the test of a range of numbers there may be its detail, which
// is no test of its own and decides its ties: bounds to the last bit.
#pragma once

#include <cstdint>

#include "match/content/codes.h"
#include "match/content/ids.h"

namespace weir::match::content {

// Columns from here on are none: the tests are details.
inline constexpr ColumnId kColumnBound = 1U << 14U;

// The bounds of a range of numbers, where they lie between places.
struct RangeDetail {
  bool negated = false;  // the test is of what lies outside
  bool has_low = false;
  bool has_high = false;
  bool low_open = false;
  bool high_open = false;
  std::uint64_t low_fraction = 0;
  std::uint64_t high_fraction = 0;
};

struct CodeTest {
  static constexpr std::uint32_t kAllButOne = 0xFFFFFFFE;

  ColumnId column = 0;
  Code low = 0;
  std::uint32_t span = 0;

  static CodeTest equal(ColumnId column, Code code) { return {column, code, 0}; }
  static CodeTest not_equal(ColumnId column, Code code) { return {column, code + 1, kAllButOne}; }
  // From low to high; if that is less, on from the largest code to 0.
  static CodeTest range(ColumnId column, Code low, Code high) { return {column, low, high - low}; }

  static CodeTest detail(const RangeDetail& detail);

  // Of any but a detail.
  bool holds(Code code) const { return code - low <= span; }
  Code high() const { return low + span; }

  bool is_detail() const { return column >= kColumnBound; }
  RangeDetail to_detail() const;
  // Requires a tie, by that value, and the test's detail.
  bool holds_at_tie(Code code, const event::Value& value, const RangeDetail& detail) const;

  bool is_not_equal() const { return span == kAllButOne && !is_detail(); }
  // Holds of one point only.
  bool is_point() const {
    return span == 0 && !is_detail() && kind_of(column) == ColumnKind::kPoint &&
           low >= kPointCodeMin;
  }
  // Holds of some numbers or timestamps that lie side by side, and of nothing else.
  bool is_range() const {
    return !is_detail() && kind_of(column) != ColumnKind::kPoint && low != kMissingCode &&
           high() >= low;
  }
  // Whether a value of that code may be beyond a bound that lies between places.
  bool is_tie(Code code) const { return is_between(code) && (code == low || code == high()); }

  // The code of the point that the test is about; kMissingCode if it is about none.
  Code point() const {
    if (is_detail() || kind_of(column) != ColumnKind::kPoint) return kMissingCode;
    const Code code = is_not_equal() ? low - 1 : low;
    return code >= kPointCodeMin ? code : kMissingCode;
  }

  bool operator==(const CodeTest&) const = default;
};

}  // namespace weir::match::content
