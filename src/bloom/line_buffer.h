// SPDX-License-Identifier: Apache-2.0
// LineBuffer: zeroed words that begin at a cache line, for filters that work on whole lines.
//
// Large buffers come from the system page by page when they are first touched, in huge pages where
// the system gives them: a random access then costs one miss, not two, and filling them costs a
// fraction. Memory is what was touched: of a buffer that may stay nearly empty, less in small
// pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace weir::bloom {

inline constexpr std::size_t kLineBytes = 64;
inline constexpr std::size_t kLineWords = kLineBytes / sizeof(std::uint64_t);

class LineBuffer {
 public:
  enum class Pages : std::uint8_t { kHuge, kSmall };

  explicit LineBuffer(std::size_t line_count, Pages pages = Pages::kHuge);
  LineBuffer(const LineBuffer& other);
  LineBuffer& operator=(const LineBuffer&) = delete;
  LineBuffer(LineBuffer&&) noexcept = default;
  LineBuffer& operator=(LineBuffer&&) noexcept = default;
  ~LineBuffer() = default;

  std::uint64_t* data() { return words_.get(); }
  const std::uint64_t* data() const { return words_.get(); }
  std::span<std::uint64_t> words() { return {words_.get(), line_count_ * kLineWords}; }
  std::span<const std::uint64_t> words() const { return {words_.get(), line_count_ * kLineWords}; }
  std::size_t bytes() const { return line_count_ * kLineBytes; }

  bool operator==(const LineBuffer& other) const;

 private:
  struct Release {
    std::size_t mapped_bytes = 0;  // 0: from the heap
    void operator()(std::uint64_t* words) const;
  };
  using Words = std::unique_ptr<std::uint64_t[], Release>;

  static Words allocate(std::size_t bytes, Pages pages);

  std::size_t line_count_;
  Words words_;
};

}  // namespace weir::bloom
