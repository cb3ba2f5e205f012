// SPDX-License-Identifier: Apache-2.0
// Firing: who is to be told of a source's value, and what they were told before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
  std::size_t span_begin = 0;          // in Firing::spans
  std::size_t span_end = 0;
};

// The events of a source's newest reading and of the one before, if they are kept.
struct SourceEvents {
  event::EventPtr newest;
  event::EventPtr previous;
};

// Spans point into the index of the group: they are valid until somebody joins, leaves or moves.
struct Firing {
  double value = 0;
  base::Instant at;      // of the reading, or when what was held became due
  std::string_view key;  // of the source; none if it is not remembered
  const SourceEvents* events = nullptr;
  ThresholdIndex::Spans spans;
  std::vector<FiredRange> ranges;
  std::size_t id_count = 0;

  void clear() {
    spans.clear();
    ranges.clear();
    id_count = 0;
    key = {};
    events = nullptr;
  }
  // visit(id). Asks for the beginning of the next span while it reads one.
  template <typename Visit>
  void for_each_id(const Visit& visit) const {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (i + 1 < spans.size()) {
        const std::uint64_t* const next = spans[i + 1].data();
        for (std::size_t line = 0; line < 8; ++line) __builtin_prefetch(next + 8 * line);
      }
      for (const std::uint64_t id : spans[i]) visit(id);
    }
  }
  void add(const std::optional<LastDelivery>& before, const ThresholdIndex& index,
           ThresholdIndex::Cursor from, ThresholdIndex::Cursor to) {
    const std::size_t begin = spans.size();
    index.list(from, to, spans);
    for (std::size_t i = begin; i < spans.size(); ++i) id_count += spans[i].size();
    ranges.push_back({before, begin, spans.size()});
  }
};

}  // namespace weir::match
