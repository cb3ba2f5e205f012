// SPDX-License-Identifier: Apache-2.0
#include "bloom/line_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace weir::bloom {
namespace {

constexpr std::size_t kMappedBytesMin = std::size_t{1} << 17U;
constexpr std::size_t kHugeBytesMin = std::size_t{1} << 22U;

}  // namespace

LineBuffer::LineBuffer(std::size_t line_count, Pages pages)
    : line_count_(line_count), words_(allocate(line_count * kLineBytes, pages)) {}

LineBuffer::LineBuffer(const LineBuffer& other) : LineBuffer(other.line_count_) {
  std::ranges::copy(other.words(), words_.get());
}

LineBuffer::Words LineBuffer::allocate(std::size_t bytes, Pages pages) {
  if (bytes < kMappedBytesMin) {
    void* const heap = ::operator new(bytes, std::align_val_t{kLineBytes});
    std::memset(heap, 0, bytes);
    return Words(static_cast<std::uint64_t*>(heap), Release{});
  }
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= kHugeBytesMin) {
    ::madvise(mapped, bytes, pages == Pages::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  }
  return Words(static_cast<std::uint64_t*>(mapped), Release{bytes});
}

void LineBuffer::Release::operator()(std::uint64_t* words) const {
  if (mapped_bytes > 0) {
    ::munmap(words, mapped_bytes);
  } else {
    ::operator delete(words, std::align_val_t{kLineBytes});
  }
}

bool LineBuffer::operator==(const LineBuffer& other) const {
  return std::ranges::equal(words(), other.words());
}

}  // namespace weir::bloom
