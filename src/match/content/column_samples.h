// SPDX-License-Identifier: Apache-2.0
// ColumnSamples: what was seen last in each column of numbers and times: codes of events, and
// bounds that filters name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/heap_bytes.h"
#include "match/content/codes.h"
#include "match/content/ids.h"

namespace weir::match::content {

class ColumnSamples {
 public:
  static constexpr std::size_t kSampleCountMax = 1024;

  void add_event(ColumnId column, Code code) { add(of(column).events, code); }
  void add_bound(ColumnId column, Code code) { add(of(column).bounds, code); }
  struct Sample {
    std::span<const Code> codes = {};  // none: nothing was seen
    bool of_events = false;
  };
  // The events if there are enough, otherwise the bounds.
  Sample sample(ColumnId column) const {
    constexpr std::size_t kEventCountMin = 128;
    if (column >= columns_.size() || !columns_[column]) return {};
    const Column& at = *columns_[column];
    if (at.events.codes.size() >= kEventCountMin) return {at.events.codes, true};
    return {at.bounds.codes, false};
  }

  std::size_t memory_bytes() const;

 private:
  struct Ring {
    std::vector<Code> codes;  // up to kSampleCountMax, the oldest overwritten first
    std::size_t next = 0;
  };
  struct Column {
    Ring events;
    Ring bounds;
  };

  Column& of(ColumnId column) {
    if (column >= columns_.size()) columns_.resize(column + 1);
    if (!columns_[column]) columns_[column] = std::make_unique<Column>();
    return *columns_[column];
  }
  static void add(Ring& ring, Code code) {
    if (ring.codes.size() < kSampleCountMax) {
      ring.codes.push_back(code);
    } else {
      ring.codes[ring.next++ % kSampleCountMax] = code;
    }
  }

  std::vector<std::unique_ptr<Column>> columns_;
};

inline std::size_t ColumnSamples::memory_bytes() const {
  std::size_t bytes = base::heap_bytes(columns_);
  for (const auto& column : columns_) {
    if (!column) continue;
    bytes += base::heap_bytes(sizeof *column) + base::heap_bytes(column->events.codes) +
             base::heap_bytes(column->bounds.codes);
  }
  return bytes;
}

}  // namespace weir::match::content
