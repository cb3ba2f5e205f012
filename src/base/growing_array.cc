// SPDX-License-Identifier: Apache-2.0
#include "base/growing_array.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace weir::base {
namespace {

std::size_t whole_pages(std::size_t size) {
  constexpr std::size_t kPage = 4096;
  return (size + kPage - 1) / kPage * kPage;
}

}  // namespace

GrowingBytes::~GrowingBytes() {
  if (size_ >= kMappedMin) {
    ::munmap(data_, size_);
  } else {
    std::free(data_);
  }
}

void GrowingBytes::grow(std::size_t size) {
  if (size <= size_) return;
  if (size >= kMappedMin) return map(whole_pages(size));
  void* const grown = std::realloc(data_, size);
  if (grown == nullptr) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(grown);
  size_ = size;
}

void GrowingBytes::map(std::size_t size) {
  const bool is_mapped = size_ >= kMappedMin;
  void* const mapped =
      is_mapped ? ::mremap(data_, size_, size, MREMAP_MAYMOVE)
                : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  // Huge ones might have to be taken apart when they move.
  if (!is_mapped) ::madvise(mapped, size, MADV_NOHUGEPAGE);
  if (!is_mapped && size_ > 0) {
    std::memcpy(mapped, data_, size_);
    std::free(data_);
  }
  data_ = static_cast<std::byte*>(mapped);
  size_ = size;
}

}  // namespace weir::base
