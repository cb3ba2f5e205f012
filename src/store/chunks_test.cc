// SPDX-License-Identifier: Apache-2.0
#include "store/chunks.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/prng.h"

namespace weir::store {
namespace {

std::string random_bytes(std::uint64_t seed, std::size_t count) {
  base::Prng prng(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(prng.next());
  return bytes;
}

TEST(ChunksTest, TogetherAreTheBytes) {
  for (const std::size_t count :
       {0UL, 1UL, 100UL, kChunkBytesMin, kChunkBytesMin + 1, 3'000'000UL}) {
    for (const std::string& bytes : {random_bytes(count, count), std::string(count, 'x')}) {
      std::string joined;
      const auto chunks = cut_chunks(bytes);
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        joined += chunks[i];
        EXPECT_LE(chunks[i].size(), kChunkBytesMax);
        if (i + 1 < chunks.size()) {
          EXPECT_GT(chunks[i].size(), kChunkBytesMin);
        }
      }
      EXPECT_EQ(joined, bytes);
    }
  }
}

// A part that has moved, with something else before and after it.
TEST(ChunksTest, MostOfAPartThatStaysIsTheSameChunks) {
  const std::string part = random_bytes(1, 4'000'000);
  std::set<std::string> names;
  const std::string before = random_bytes(2, 300'000) + part;
  for (const auto chunk : cut_chunks(before)) names.insert(chunk_name(chunk));
  const std::string after = random_bytes(3, 123'456) + part + random_bytes(4, 50'000);
  std::size_t known_bytes = 0;
  for (const auto chunk : cut_chunks(after)) {
    if (names.contains(chunk_name(chunk))) known_bytes += chunk.size();
  }
  EXPECT_GT(known_bytes, part.size() * 9 / 10);
}

TEST(ChunksTest, NamesTellChunksApart) {
  EXPECT_EQ(chunk_name("a").size(), kChunkNameBytes);
  EXPECT_EQ(chunk_name("a"), chunk_name("a"));
  EXPECT_NE(chunk_name("a"), chunk_name("b"));
}

}  // namespace
}  // namespace weir::store
