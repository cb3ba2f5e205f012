// SPDX-License-Identifier: Apache-2.0
// Firing: who is to be told of a source's value, and what they were told before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "event/event.h"
#include "match/change/threshold_index.h"

namespace weir::match {

// The last delivery to a subscriber from one source.
struct LastDelivery {
  double value = 0;
  base::Instant at;
  std::uint64_t held_count = 0;  // readings since then that `at most every` held back
  bool held = false;             // it still does, as far as the source was told of time

  bool operator==(const LastDelivery&) const = default;
};

// Neighbours in the order of thresholds with the same history.
struct FiredRange {
  std::optional<LastDelivery> before;  // nullopt: this is the first delivery
  ThresholdIndex::Cursor from;
  ThresholdIndex::Cursor to;
};

// Ranges point into the index of the group: they are valid until somebody joins, leaves or moves.
struct Firing {
  double value = 0;
  base::Instant at;       // of the reading, or when what was held became due
  std::string_view key;   // of the source; none if it is not remembered
  event::EventPtr event;  // of the newest reading, if it is kept
  const ThresholdIndex* index = nullptr;
  std::vector<FiredRange> ranges;
  std::size_t id_count = 0;

  void clear() {
    ranges.clear();
    id_count = 0;
    key = {};
    event = nullptr;
  }
  void add(const std::optional<LastDelivery>& before, const ThresholdIndex& of,
           ThresholdIndex::Cursor from, ThresholdIndex::Cursor to) {
    index = &of;
    ranges.push_back({before, from, to});
    id_count += of.count(from, to);
  }

  // visit(range, span of ids), in the order of thresholds.
  template <typename Visit>
  void for_each_span(const Visit& visit) const {
    for (const FiredRange& range : ranges) {
      index->for_each_span(range.from, range.to,
                           [&](ThresholdIndex::Span span) { visit(range, span); });
    }
  }
};

}  // namespace weir::match
