// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_lot.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

// Rows in a random order of buckets, of which some have rows already and some get none.
TEST(RowLotTest, RowsComeWhereTheyWereSaidToBe) {
  base::Prng prng(3);
  for (const std::size_t row_count : {1U, 10U, 3000U}) {
    RowStore store;
    std::vector<std::vector<RecordRef>> expected(40);
    for (auto& records : expected) {
      const BucketId bucket = store.make_bucket();
      for (std::uint64_t left = prng.below(100); left > 0; --left) {
        const auto record = static_cast<RecordRef>(prng.below(1000));
        store.add(bucket, {{}, record});
        records.push_back(record);
      }
    }
    RowLot lot(row_count);
    for (std::size_t i = 0; i < 10'000; ++i) {
      if (lot.is_full()) lot.write_to(store);
      const auto bucket = static_cast<BucketId>(prng.below(30));
      const auto record = static_cast<RecordRef>(i);
      ASSERT_EQ(lot.add(bucket, {{}, record}, store), expected[bucket].size());
      expected[bucket].push_back(record);
    }
    lot.write_to(store);
    for (BucketId bucket = 0; bucket < expected.size(); ++bucket) {
      ASSERT_EQ(store.row_count(bucket), expected[bucket].size());
      for (std::uint32_t i = 0; i < expected[bucket].size(); ++i) {
        ASSERT_EQ(store.record_at(bucket, i), expected[bucket][i]);
      }
    }
  }
}

TEST(RowLotTest, HoldsWhatItIsMadeForAndNoMoreThanItsLimit) {
  RowStore store;
  const BucketId bucket = store.make_bucket();
  for (const std::size_t row_count : {std::size_t{1}, std::size_t{7}}) {
    RowLot lot(row_count);
    for (std::size_t i = 0; i < row_count; ++i) {
      EXPECT_FALSE(lot.is_full());
      lot.add(bucket, {}, store);
    }
    EXPECT_TRUE(lot.is_full());
    lot.write_to(store);
    EXPECT_FALSE(lot.is_full());
  }
  RowLot large(2 * RowLot::kRowCountMax);
  for (std::size_t i = 0; i < RowLot::kRowCountMax; ++i) large.add(bucket, {}, store);
  EXPECT_TRUE(large.is_full());
}

}  // namespace
}  // namespace weir::match::content
