// SPDX-License-Identifier: Apache-2.0
// Extras: what only some records have, by a number that stands in the record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/heap_bytes.h"
#include "match/content/ids.h"
#include "match/content/record_store.h"
#include "match/content/spec.h"

namespace weir::match::content {

class Extras {
 public:
  std::uint32_t add(std::unique_ptr<Extra> extra) {
    if (free_.empty()) {
      extras_.push_back(std::move(extra));
      return static_cast<std::uint32_t>(extras_.size() - 1);
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    extras_[id] = std::move(extra);
    return id;
  }
  void remove(std::uint32_t id) {
    extras_[id].reset();
    free_.push_back(id);
  }
  // Null if the record has none.
  Extra* find(const RecordStore& records, RecordRef record) const {
    return records.has_extra(record) ? extras_[records.extra(record)].get() : nullptr;
  }

  std::size_t memory_bytes() const {
    std::size_t bytes = base::heap_bytes(extras_) + base::heap_bytes(free_);
    for (const auto& extra : extras_) {
      if (extra) bytes += bytes_of(*extra);
    }
    return bytes;
  }

 private:
  static std::size_t bytes_of(const Extra& extra) {
    return base::heap_bytes(sizeof extra) + base::heap_bytes(extra.checks) +
           base::heap_bytes(extra.tie_checks) + base::heap_bytes(extra.doors) +
           base::heap_bytes(extra.points) + base::heap_bytes(extra.slots) +
           base::heap_bytes(extra.rows);
  }

  std::vector<std::unique_ptr<Extra>> extras_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir::match::content
