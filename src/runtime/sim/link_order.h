// SPDX-License-Identifier: Apache-2.0
// LinkOrder: makes each link deliver messages in the order of sending, as TCP and NATS do.
//
// Idle links are forgotten, so memory grows with the messages on their way, not with the square of
// the members.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "protocol/effects.h"

namespace weir::runtime::sim {

class LinkOrder {
 public:
  // Returns the instant of arrival; `arrival` is that of a message alone on the link.
  base::Instant arrange(protocol::NodeId from, protocol::NodeId to, base::Instant now,
                        base::Instant arrival) {
    if (used_count_ * 2 >= cells_.size()) forget(now);
    Cell& cell = cell_of({.from = from, .to = to, .last = {}});
    cell.last = std::max(cell.last, arrival);
    return cell.last;
  }

 private:
  // A cell of a table with open addressing. Address 0 marks a free cell.
  struct Cell {
    protocol::NodeId from;
    protocol::NodeId to;
    base::Instant last;
  };
  static constexpr std::size_t kCellCountMin = 1U << 10U;

  Cell& cell_of(const Cell& link) {
    const std::uint64_t mixed = (link.from.value * 0x9E3779B97F4A7C15U) ^ link.to.value;
    std::size_t place = (mixed * 0xBF58476D1CE4E5B9U) >> 20U;
    for (;; ++place) {
      Cell& cell = cells_[place & (cells_.size() - 1)];
      if (cell.from == link.from && cell.to == link.to) return cell;
      if (cell.from.value != 0) continue;
      ++used_count_;
      return cell = link;
    }
  }

  // Makes a new table of the links in use, a quarter full.
  void forget(base::Instant now) {
    const std::vector<Cell> old = std::exchange(cells_, {});
    const auto is_live = [now](const Cell& cell) { return cell.last > now; };
    const auto live_count = static_cast<std::size_t>(std::ranges::count_if(old, is_live));
    cells_.resize(std::max(kCellCountMin, std::bit_ceil(live_count * 4)));
    used_count_ = 0;
    for (const Cell& cell : old) {
      if (is_live(cell)) cell_of(cell);
    }
  }

  std::vector<Cell> cells_;
  std::size_t used_count_ = 0;
};

}  // namespace weir::runtime::sim
