// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/prng.h"
#include "match/content/row_block.h"

namespace weir::match::content {
namespace {

using LaneBytes = std::array<std::uint8_t, kLaneCount>;

std::uint8_t random_byte(base::Prng& prng) { return static_cast<std::uint8_t>(prng.below(256)); }

// Points, which hold of one byte; cells, which may pass 255 on their way; and open tests.
LaneTest random_test(base::Prng& prng) {
  if (prng.chance(0.2)) return {};
  const auto lane = static_cast<std::uint8_t>(prng.below(kLaneCount));
  constexpr std::array<std::uint8_t, 6> kSpans = {0, 1, 127, 128, 254, 255};
  const std::uint8_t span =
      prng.chance(0.5) ? kSpans[prng.below(kSpans.size())] : random_byte(prng);
  return {lane, random_byte(prng), span};
}

bool lets_through(const LaneTest& test, const LaneBytes& lanes) {
  return (lanes[test.lane] + 256U - test.low) % 256U <= test.span;
}

// A block of rows in exactly as many bytes as a kernel may read.
struct Rows {
  Rows(base::Prng& prng, std::size_t capacity, std::size_t row_count)
      : bytes(capacity * kRowBytes + kBlockPadBytes) {
    for (std::uint8_t& byte : bytes) byte = random_byte(prng);  // what was there before
    const RowBlock block{bytes.data(), capacity};
    for (std::size_t i = 0; i < row_count; ++i) {
      rows.push_back({{random_test(prng), random_test(prng)}, static_cast<RecordRef>(prng.next())});
      block.write(i, rows.back());
    }
  }

  std::vector<RecordRef> expected(const LaneBytes& lanes) const {
    std::vector<RecordRef> records;
    for (const Row& row : rows) {
      if (lets_through(row.tests[0], lanes) && lets_through(row.tests[1], lanes)) {
        records.push_back(row.record);
      }
    }
    return records;
  }

  std::vector<std::uint8_t> bytes;
  std::vector<Row> rows;
};

// What the kernel gives, in as much room as it may use.
std::vector<RecordRef> run(bloom::Isa isa, const std::vector<std::uint8_t>& bytes,
                           std::size_t capacity, std::size_t row_count, const LaneBytes& lanes) {
  std::vector<RecordRef> records(row_count + kRecordPadCount);
  records.resize(row_kernel(isa)(bytes.data(), capacity, row_count, lanes.data(), records.data()));
  return records;
}

TEST(RowKernelsTest, AllInstructionSetsLetTheSameRowsThrough) {
  constexpr std::uint64_t kSeed = 3;
  SCOPED_TRACE(kSeed);
  base::Prng prng(kSeed);
  std::size_t most = 0;
  for (const std::size_t capacity : {8U, 16U, 32U, 64U}) {
    for (std::size_t row_count = 1; row_count <= capacity; ++row_count) {
      for (int round = 0; round < 20; ++round) {
        const Rows rows(prng, capacity, row_count);
        LaneBytes lanes;
        for (std::uint8_t& byte : lanes) byte = random_byte(prng);
        const std::vector<RecordRef> expected = rows.expected(lanes);
        most = std::max(most, expected.size());
        for (const bloom::Isa isa : bloom::available_isas()) {
          ASSERT_EQ(run(isa, rows.bytes, capacity, row_count, lanes), expected)
              << bloom::name_of(isa) << ", " << row_count << " of " << capacity;
        }
      }
    }
  }
  EXPECT_GT(most, 16U);
}

// One row that asks for one byte of one lane, at every place.
TEST(RowKernelsTest, EveryLaneAndEveryRowCounts) {
  for (const bloom::Isa isa : bloom::available_isas()) {
    for (std::uint8_t lane = 0; lane < kLaneCount; ++lane) {
      for (const std::size_t place : {0U, 1U, 7U, 31U, 32U, 63U}) {
        std::vector<std::uint8_t> bytes(kBlockRowsMax * kRowBytes + kBlockPadBytes);
        const RowBlock block{bytes.data(), kBlockRowsMax};
        const Row never{{{0, 1, 0}, {}}, 0};
        for (std::size_t i = 0; i < kBlockRowsMax; ++i) block.write(i, never);
        block.write(place, {{{}, {lane, 200, 3}}, static_cast<RecordRef>(100 + place)});
        LaneBytes lanes{};
        lanes[lane] = 203;
        EXPECT_EQ(run(isa, bytes, kBlockRowsMax, kBlockRowsMax, lanes),
                  std::vector<RecordRef>{static_cast<RecordRef>(100 + place)})
            << bloom::name_of(isa) << ", lane " << int{lane};
        lanes[lane] = 204;
        EXPECT_TRUE(run(isa, bytes, kBlockRowsMax, kBlockRowsMax, lanes).empty());
      }
    }
  }
}

}  // namespace
}  // namespace weir::match::content
