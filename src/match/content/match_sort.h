// SPDX-License-Identifier: Apache-2.0
// Sorts matches and leaves each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/heap_bytes.h"
#include "match/matcher.h"

namespace weir::match::content {

class MatchSort {
 public:
  // Those from `first` on. Few are ranked, many are distributed by the digits of their
  // subscriptions, at a few nanoseconds each.
  void sort(std::vector<Match>& matches, std::size_t first);

  std::size_t memory_bytes() const { return base::heap_bytes(ids_) + base::heap_bytes(spare_); }

 private:
  void rank();
  void distribute(std::uint64_t differing);

  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> spare_;
};

}  // namespace weir::match::content
