// SPDX-License-Identifier: Apache-2.0
#include "bloom/compressed_bloom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/prng.h"
#include "bloom/bloom_testing.h"
#include "bloom/frame.h"

namespace weir::bloom {
namespace {

ClassicBloom random_filter(std::uint64_t seed, std::uint64_t cell_count, double density) {
  base::Prng prng(seed);
  ClassicBloom filter({cell_count, 3});
  for (std::uint64_t i = 0; i < cell_count; ++i) {
    if (prng.chance(density)) filter.set_cell(i);
  }
  return filter;
}

double entropy_bytes(const ClassicBloom& filter) {
  const double d = filter.density();
  if (d == 0 || d == 1) return 0;
  const double bits = -d * std::log2(d) - (1 - d) * std::log2(1 - d);
  return bits * static_cast<double>(filter.shape().cell_count) / 8;
}

void expect_back(const ClassicBloom& filter) {
  const auto back = decompress(compress(filter));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, filter);
}

std::string frame_of(std::string_view body) {
  base::ByteWriter writer = begin_frame(FrameKind::kCompressed);
  writer.raw(body);
  return finish_frame(std::move(writer));
}

std::string body_of(const ClassicBloom& filter) {
  const std::string bytes = compress(filter);
  return std::string(*open_frame(FrameKind::kCompressed, bytes));
}

void expect_refused(std::string_view bytes, std::uint64_t cell_count_max = 1 << 20) {
  const auto filter = decompress(bytes, cell_count_max);
  ASSERT_FALSE(filter.has_value());
  EXPECT_EQ(filter.error().id, base::ErrorId::kStoreCorrupt);
}

TEST(CompressedBloomTest, ComesBackAtEveryDensityAndSize) {
  base::Prng prng(1);
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const double density = prng.chance(0.5) ? prng.fraction() : std::pow(prng.fraction(), 6);
    expect_back(random_filter(seed, 1 + prng.below(700), density));
  }
  for (const double density : {0.0001, 0.3, 0.9999})
    expect_back(random_filter(2, 300'000, density));
}

TEST(CompressedBloomTest, EmptyAndFullFiltersTakeNoCode) {
  for (const double density : {0.0, 1.0}) {
    for (const std::uint64_t cell_count : {1U, 64U, 100'000U}) {
      const ClassicBloom filter = random_filter(3, cell_count, density);
      EXPECT_LE(compress(filter).size(), 18U);
      expect_back(filter);
    }
  }
}

// One set cell in the middle of many carries through long runs of equal bytes.
TEST(CompressedBloomTest, ComesBackFromExtremeArrangements) {
  for (const std::uint64_t cell_count : {2U, 3U, 1000U, 100'000U}) {
    for (const std::uint64_t index : {std::uint64_t{0}, cell_count / 2, cell_count - 1}) {
      ClassicBloom one({cell_count, 1});
      one.set_cell(index);
      expect_back(one);
      ClassicBloom others({cell_count, 1});
      for (std::uint64_t i = 0; i < cell_count; ++i) {
        if (i != index) others.set_cell(i);
      }
      expect_back(others);
    }
    ClassicBloom halves({cell_count, 1});
    for (std::uint64_t i = 0; i < cell_count / 2; ++i) halves.set_cell(i);
    expect_back(halves);
  }
}

// The bound asked for is 2 %; the coder is far below it, and a slip would show here first.
TEST(CompressedBloomTest, IsWithinAThousandthOfTheEntropyAndThirtyBytes) {
  for (const double density : {0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.38, 0.4, 0.5, 0.6, 0.7,
                               0.8, 0.9, 0.97, 0.99, 0.997, 0.999}) {
    for (const std::uint64_t cell_count : {1000U, 30'000U, 400'000U}) {
      const ClassicBloom filter = random_filter(4, cell_count, density);
      const auto size = static_cast<double>(compress(filter).size());
      EXPECT_LE(size, 1.001 * entropy_bytes(filter) + 30) << density << ' ' << cell_count;
      EXPECT_GE(size, entropy_bytes(filter)) << density << ' ' << cell_count;
    }
  }
}

// The table of the header: more cells, fewer probes, the same bytes, fewer false positives.
TEST(CompressedBloomTest, ASparserFilterOfTheSameCodedSizeHasFewerFalsePositives) {
  ClassicBloom plain({80'000, 6});
  ClassicBloom sparse({140'000, 2});
  ClassicBloom sparsest({960'000, 1});
  for (const std::uint64_t key : random_keys(5, 10'000)) {
    plain.set(key);
    sparse.set(key);
    sparsest.set(key);
  }
  EXPECT_LE(compress(sparse).size(), 10'000U);
  EXPECT_LE(compress(sparsest).size(), 10'000U);
  const auto others = random_keys(6, 100'000);
  const auto rate = [&](const ClassicBloom& filter) {
    return std::ranges::count_if(others, [&](auto key) { return !filter.test(key); });
  };
  EXPECT_LT(rate(sparse), rate(plain));
  EXPECT_LT(rate(sparsest), rate(sparse));
}

TEST(CompressedBloomTest, RefusesEveryDamageThatAChecksumDoesNotSee) {
  const ClassicBloom filter = random_filter(7, 2000, 0.2);
  const std::string body = body_of(filter);
  std::uint64_t taken_count = 0;
  for (std::size_t i = 0; i < body.size() * 8; ++i) {
    std::string damaged = body;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
    const std::string bytes = frame_of(damaged);
    const auto other = decompress(bytes, 1 << 20);
    if (!other) continue;
    ++taken_count;
    EXPECT_EQ(compress(*other), bytes);
  }
  EXPECT_LE(taken_count, 7U) << "another k is as good";
}

TEST(CompressedBloomTest, RefusesBytesThatAreCutOrLonger) {
  const std::string body = body_of(random_filter(8, 500, 0.2));
  for (std::size_t size = 0; size < body.size(); ++size) {
    expect_refused(frame_of(std::string_view(body).substr(0, size)));
  }
  expect_refused(frame_of(body + '\0'));
  expect_refused(frame_of(body_of(random_filter(8, 500, 0)) + '\0'));
  expect_refused(compress(random_filter(8, 500, 0.2)).substr(1));
  expect_refused("");
}

TEST(CompressedBloomTest, RefusesMoreCellsThanTheCallerTakes) {
  const std::string bytes = compress(random_filter(9, 1001, 0.5));
  expect_refused(bytes, 1000);
  EXPECT_TRUE(decompress(bytes, 1001).has_value());
  base::ByteWriter writer;
  writer.varint(kCellCountMax);
  writer.varint(1);
  writer.varint(0);
  expect_refused(frame_of(writer.bytes()), kDecompressedCellCountMax);
}

TEST(CompressedBloomTest, RefusesShapesThatCannotBe) {
  const auto bytes_of = [](std::uint64_t cells, std::uint64_t probes, std::uint64_t set_cells) {
    base::ByteWriter writer;
    writer.varint(cells);
    writer.varint(probes);
    writer.varint(set_cells);
    return frame_of(writer.bytes());
  };
  EXPECT_TRUE(decompress(bytes_of(10, 1, 10)).has_value());
  expect_refused(bytes_of(0, 1, 0));
  expect_refused(bytes_of(10, 0, 0));
  expect_refused(bytes_of(10, kProbeCountMax + 1, 0));
  expect_refused(bytes_of(10, 1, 11));
  expect_refused(bytes_of(10, 1, 5));
}

}  // namespace
}  // namespace weir::bloom
