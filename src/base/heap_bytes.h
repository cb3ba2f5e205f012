// SPDX-License-Identifier: Apache-2.0
// What blocks of memory take on the heap, for those who tell how much they own.
//
// As glibc has it: eight bytes before each, in steps of 16, at least 32. What containers hold is
// counted by its own size; what that owns in turn is not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace weir::base {

// Of a block that was asked for; 0 bytes are none.
constexpr std::size_t heap_bytes(std::size_t block_bytes) {
  constexpr std::size_t kHeaderBytes = 8;
  constexpr std::size_t kStepBytes = 16;
  constexpr std::size_t kBytesMin = 32;
  if (block_bytes == 0) return 0;
  const std::size_t steps = (block_bytes + kHeaderBytes + kStepBytes - 1) / kStepBytes;
  return std::max(steps * kStepBytes, kBytesMin);
}

template <typename Item>
std::size_t heap_bytes(const std::vector<Item>& items) {
  return heap_bytes(items.capacity() * sizeof(Item));
}

// A short text stands in the string itself.
inline std::size_t heap_bytes(const std::string& text) {
  static const std::size_t kInside = std::string().capacity();
  return text.capacity() > kInside ? heap_bytes(text.capacity() + 1) : 0;
}

// Of a boost::unordered_flat_map or the like: 16 bytes for every 15 places besides.
template <typename Table>
  requires requires(const Table& table) { table.bucket_count(); }
std::size_t heap_bytes(const Table& table) {
  constexpr std::size_t kGroupPlaces = 15;
  constexpr std::size_t kGroupBytes = kGroupPlaces * sizeof(typename Table::value_type) + 16;
  return heap_bytes((table.bucket_count() + kGroupPlaces - 1) / kGroupPlaces * kGroupBytes);
}

}  // namespace weir::base
