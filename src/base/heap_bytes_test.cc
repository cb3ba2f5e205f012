// SPDX-License-Identifier: Apache-2.0
#include "base/heap_bytes.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace weir::base {
namespace {

// Of a block, without what stands before it.
std::size_t usable_bytes(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  const std::size_t usable = malloc_usable_size(block);
  std::free(block);
  return usable;
}

TEST(HeapBytesTest, RoundsABlockUpAsTheHeapDoes) {
  EXPECT_EQ(heap_bytes(0), 0U);
  if (usable_bytes(1) == 1) GTEST_SKIP() << "not the heap of glibc";
  for (std::size_t bytes = 1; bytes < 5000; ++bytes) {
    const std::size_t taken = usable_bytes(bytes) + 8;
    ASSERT_LE(heap_bytes(bytes), taken) << bytes;
    ASSERT_GE(heap_bytes(bytes) + 16, taken) << bytes << ", with a rest too small for a block";
  }
}

TEST(HeapBytesTest, CountsRoomThatIsNotInUse) {
  std::vector<std::uint32_t> numbers;
  EXPECT_EQ(heap_bytes(numbers), 0U);
  numbers.reserve(100);
  EXPECT_EQ(heap_bytes(numbers), heap_bytes(400));
}

TEST(HeapBytesTest, FindsShortTextsInsideTheString) {
  EXPECT_EQ(heap_bytes(std::string("short")), 0U);
  std::string text(300, 'x');
  text.shrink_to_fit();
  EXPECT_EQ(heap_bytes(text), heap_bytes(text.capacity() + 1));
}

}  // namespace
}  // namespace weir::base
