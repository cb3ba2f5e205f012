// SPDX-License-Identifier: Apache-2.0
// GrowingArray: a vector of plain values that never copies much at once.
//
// A large one lies in pages of its own, which the system puts elsewhere when it grows: that takes
// microseconds where copying, and touching the new place, takes many milliseconds. References do
// not stay valid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "base/heap_bytes.h"

namespace weir::base {

// The memory of a GrowingArray.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;
  GrowingBytes(GrowingBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  GrowingBytes& operator=(GrowingBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~GrowingBytes();

  // From here on large arrays have pages of their own.
  static constexpr std::size_t kMappedMin = std::size_t{1} << 17U;

  // At least so many, and what is there stays. Throws std::bad_alloc.
  void grow(std::size_t size);
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void map(std::size_t size);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

template <typename T>
  requires std::is_trivially_copyable_v<T>
class GrowingArray {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return reinterpret_cast<T*>(bytes_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }
  const T& back() const { return data()[size_ - 1]; }

  void push_back(const T& item) {
    const T copy = item;
    make_room(size_ + 1);
    data()[size_++] = copy;
  }
  void pop_back() {
    size_max_ = std::max(size_max_, size_);
    --size_;
  }
  // To so many more than there are; the new ones are as given.
  void extend(std::size_t size, const T& item) {
    const T copy = item;
    make_room(size);
    std::fill(data() + size_, data() + size, copy);
    size_ = size;
  }
  // Of pages those that were touched.
  std::size_t memory_bytes() const {
    if (bytes_.size() < GrowingBytes::kMappedMin) return heap_bytes(bytes_.size());
    return std::max(size_max_, size_) * sizeof(T);
  }

 private:
  void make_room(std::size_t count) {
    if (count * sizeof(T) <= bytes_.size()) return;
    bytes_.grow(std::max(count * sizeof(T), 2 * bytes_.size()));
  }

  GrowingBytes bytes_;
  std::size_t size_ = 0;
  std::size_t size_max_ = 0;  // at some time before
};

}  // namespace weir::base
