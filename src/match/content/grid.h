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
    const std::size_t stretch = (std::clamp(code, first_, last_) - first_) >> shift_;
    std::uint32_t low = stretches_[stretch];
    std::uint32_t high = stretches_[stretch + 1];
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (starts_[middle] <= code) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<std::uint8_t>(low);
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
  float share(std::size_t first, std::size_t last) const {
    constexpr float kShareMin = 1e-4F;
    const std::size_t end = std::min(last + 1, kCellCountMax);
    return std::clamp(sums_[end] - sums_[first], kShareMin, 1.0F);
  }

 private:
  // Most stretches hold one cell or two.
  static constexpr std::size_t kStretchCount = 2048;

  void make_stretches();
  void sum_up();

  std::size_t cell_count_ = 1;
  std::array<Code, kCellCountMax> starts_{};  // of all cells but the first
  // The codes between the first and the last start, cut into stretches of 2^shift_ codes, and the
  // cell that each begins in.
  Code first_ = 0;
  Code last_ = 0;
  unsigned shift_ = 0;
  std::array<std::uint8_t, kStretchCount + 1> stretches_{};
  std::array<std::uint32_t, kCellCountMax> hits_{};
  std::array<float, kCellCountMax + 1> sums_{};  // the parts of all cells before one
  std::uint32_t uncounted_ = 0;                  // hits since sums_ was made
};

}  // namespace weir::match::content
