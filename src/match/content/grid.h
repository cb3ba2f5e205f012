// SPDX-License-Identifier: Apache-2.0
// Grid: cuts the places of one column into up to 256 cells that hold about as many events each.
//
// Made from a sample of places: of events, or of bounds that filters name while there are none. It
// then counts how many events fall into each cell, and so tells what part of them a range holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
    const Code* low = starts_.data();
    std::size_t count = starts_.size();
    while (count > 0) {
      const std::size_t half = count / 2;
      low = low[half] <= code ? low + count - half : low;
      count = half;
    }
    return static_cast<std::uint8_t>(low - starts_.data());
  }
  struct Cells {
    std::uint8_t low = 0;
    std::uint8_t high = 0;
  };
  // Both at once, which is faster.
  Cells cells(Code low, Code high) const {
    const Code* low_at = starts_.data();
    const Code* high_at = low_at;
    std::size_t count = starts_.size();
    while (count > 0) {
      const std::size_t half = count / 2;
      low_at = low_at[half] <= low ? low_at + count - half : low_at;
      high_at = high_at[half] <= high ? high_at + count - half : high_at;
      count = half;
    }
    return {static_cast<std::uint8_t>(low_at - starts_.data()),
            static_cast<std::uint8_t>(high_at - starts_.data())};
  }
  std::size_t cell_count() const { return starts_.size() + 1; }

  // To be called for each event that has a value here.
  void count(std::uint8_t cell);
  // The part of those events that lie in the cells, from first to last; above 0, at most 1.
  double share(std::size_t first, std::size_t last) const;

 private:
  void sum_up();

  std::vector<Code> starts_;  // of all cells but the first; ascending
  std::array<std::uint32_t, kCellCountMax> hits_{};
  std::array<float, kCellCountMax + 1> sums_{};  // the parts of all cells before one
  std::uint32_t uncounted_ = 0;                  // hits since sums_ was made
};

}  // namespace weir::match::content
