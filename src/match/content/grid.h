// SPDX-License-Identifier: Apache-2.0
// Grid: cuts the places of one column into up to 256 cells that hold about as many events each.
//
// Made from a sample of places: of events, or of bounds that filters name while there are none. It
// then counts how many events fall into each cell, and so tells what part of them a range holds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "match/content/codes.h"

namespace weir::match::content {

class Grid {
 public:
  static constexpr std::size_t kCellCountMax = 256;

  enum class Sample : std::uint8_t {
    kEvents,
    kBounds,  // say little of how far values go: much is expected beyond the first and last of them
  };

  // Requires at least one place.
  Grid(std::span<const Code> sample, Sample kind);

  // Never falls where the code grows.
  std::uint8_t cell(Code code) const {
    const std::int32_t place = ordered(code);
    const std::size_t line = std::min(count_up_to(line_ends_.data(), place), kLineCount - 1);
    const std::size_t at = line * kLineSize + count_up_to(starts_.data() + line * kLineSize, place);
    return static_cast<std::uint8_t>(std::min(at, cell_count_ - 1));
  }
  struct Cells {
    std::uint8_t low = 0;
    std::uint8_t high = 0;
  };
  Cells cells(Code low, Code high) const { return {cell(low), cell(high)}; }
  std::size_t cell_count() const { return cell_count_; }

  // To be called for each event that has a value here.
  void count(std::uint8_t cell);
  // The part of those events that lie in the cells, from first to last; above 0, at most 1.
  double share(std::size_t first, std::size_t last) const;

 private:
  static constexpr std::size_t kLineSize = 16;
  static constexpr std::size_t kLineCount = kCellCountMax / kLineSize;

  // In the same order, and quicker to compare.
  static std::int32_t ordered(Code code) { return static_cast<std::int32_t>(code ^ (1U << 31U)); }
  // How many of a line are not above the place.
  static std::size_t count_up_to(const std::int32_t* line, std::int32_t place) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < kLineSize; ++i) count += line[i] <= place ? 1U : 0U;
    return count;
  }
  void sum_up();

  std::size_t cell_count_ = 1;
  // Of all cells but the first, ascending, and as far as there are none, beyond all.
  std::array<std::int32_t, kCellCountMax> starts_;
  std::array<std::int32_t, kLineCount> line_ends_;  // the last of each line of starts
  std::array<std::uint32_t, kCellCountMax> hits_{};
  std::array<float, kCellCountMax + 1> sums_{};  // the parts of all cells before one
  std::uint32_t uncounted_ = 0;                  // hits since sums_ was made
};

}  // namespace weir::match::content
