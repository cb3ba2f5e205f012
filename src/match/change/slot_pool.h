// SPDX-License-Identifier: Apache-2.0
// SlotPool: records in one array, given out in runs; runs that were given back are given out again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace weir::match {

template <typename Record>
class SlotPool {
 public:
  // The first slot of a run. References to other records become invalid.
  std::uint32_t take(std::uint32_t count) {
    if (auto& free = free_[count]; !free.empty()) {
      const std::uint32_t first = free.back();
      free.pop_back();
      return first;
    }
    const auto first = static_cast<std::uint32_t>(slots_.size());
    if (slots_.size() + count > slots_.capacity()) reserve(count + slots_.size() / kGrowthShare);
    slots_.resize(slots_.size() + count);
    return first;
  }
  void give_back(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) slots_[first + i] = Record();
    free_[count].push_back(first);
  }

  // Room for so many more slots.
  void reserve(std::size_t count) { slots_.reserve(slots_.size() + count); }

  Record& operator[](std::uint32_t slot) { return slots_[slot]; }
  const Record& operator[](std::uint32_t slot) const { return slots_[slot]; }
  std::size_t memory_bytes() const {
    std::size_t bytes = slots_.capacity() * sizeof(Record);
    for (const auto& [count, free] : free_) bytes += free.capacity() * sizeof(std::uint32_t);
    return bytes;
  }

 private:
  static constexpr std::size_t kGrowthShare = 4;  // grows by a quarter, not by doubling

  std::vector<Record> slots_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_;  // by length
};

}  // namespace weir::match
