// SPDX-License-Identifier: Apache-2.0
#include "base/growing_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace weir::base {
namespace {

TEST(GrowingArrayTest, KeepsWhatIsThere) {
  constexpr std::size_t kCount = 4 * GrowingBytes::kMappedMin / sizeof(std::uint32_t) + 1;
  GrowingArray<std::uint32_t> array;
  for (std::uint32_t i = 0; i < kCount; ++i) array.push_back(i * 7);
  ASSERT_EQ(array.size(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(array[i], i * 7);
  EXPECT_GE(array.memory_bytes(), kCount * sizeof(std::uint32_t));
  EXPECT_LE(array.memory_bytes(), 3 * kCount * sizeof(std::uint32_t));
}

TEST(GrowingArrayTest, AnItemOfItsOwnMayBeAdded) {
  GrowingArray<std::uint64_t> array;
  array.push_back(5);
  for (int i = 0; i < 100'000; ++i) array.push_back(array[array.size() - 1]);
  EXPECT_EQ(array[array.size() - 1], 5U);
  array.extend(300'000, array[0]);
  EXPECT_EQ(array[299'999], 5U);
}

TEST(GrowingArrayTest, ExtendsByWhatIsGiven) {
  for (const std::size_t size : {std::size_t{10}, 10 * GrowingBytes::kMappedMin}) {
    GrowingArray<std::uint16_t> array;
    array.push_back(1);
    array.pop_back();
    array.extend(3, 8);
    array.extend(size, 9);
    ASSERT_EQ(array.size(), size);
    EXPECT_EQ(array[2], 8U);
    EXPECT_EQ(array[3], 9U);
    EXPECT_EQ(array.back(), 9U);
  }
}

TEST(GrowingArrayTest, Moves) {
  GrowingArray<std::uint64_t> array;
  array.extend(GrowingBytes::kMappedMin, 3);
  GrowingArray<std::uint64_t> other;
  other.push_back(4);
  other = std::move(array);
  EXPECT_EQ(other[GrowingBytes::kMappedMin - 1], 3U);
  const GrowingArray<std::uint64_t> third(std::move(other));
  EXPECT_EQ(third[0], 3U);
}

}  // namespace
}  // namespace weir::base
