// SPDX-License-Identifier: Apache-2.0
#include "match/content/row_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

using LaneBytes = std::array<std::uint8_t, kLaneCount>;

bool lets_through(const Row& row, const LaneBytes& lanes) {
  return std::ranges::all_of(row.tests, [&](const LaneTest& test) {
    return (lanes[test.lane] + 256U - test.low) % 256U <= test.span;
  });
}

// Buckets beside plain lists of their rows. Every row has a record of its own.
class Buckets {
 public:
  explicit Buckets(std::uint64_t seed) : prng_(seed) {}

  base::Prng& prng() { return prng_; }
  std::map<BucketId, std::vector<Row>>& models() { return models_; }

  BucketId make() {
    const BucketId id = store_.make_bucket();
    EXPECT_TRUE(models_.emplace(id, std::vector<Row>()).second);
    return id;
  }
  void drop(BucketId id) {
    store_.drop_bucket(id);
    models_.erase(id);
  }

  void add(BucketId id) {
    Row row{{random_test(), random_test()}, next_record_++};
    ASSERT_EQ(store_.add(id, row), models_[id].size());
    models_[id].push_back(row);
  }

  void append(BucketId id, std::size_t count) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back({{random_test(), random_test()}, next_record_++});
    }
    store_.append(id, rows);
    models_[id].insert(models_[id].end(), rows.begin(), rows.end());
  }

  void remove(BucketId id, std::size_t place) {
    std::vector<Row>& rows = models_[id];
    const bool is_last = place + 1 == rows.size();
    const RecordRef moved = is_last ? kNoId : rows.back().record;
    ASSERT_EQ(store_.remove(id, static_cast<std::uint32_t>(place)), moved);
    rows[place] = rows.back();
    rows.pop_back();
  }

  void expect_equal() {
    std::size_t row_count = 0;
    for (const auto& [id, rows] : models_) {
      ASSERT_EQ(store_.row_count(id), rows.size());
      row_count += rows.size();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(store_.record_at(id, static_cast<std::uint32_t>(i)), rows[i].record);
      }
      if (!rows.empty()) expect_scan(id, rows);
    }
    ASSERT_EQ(store_.size(), row_count);
  }

  void expect_scan(BucketId id, const std::vector<Row>& rows) {
    LaneBytes lanes;
    for (std::uint8_t& byte : lanes) byte = static_cast<std::uint8_t>(prng_.below(256));
    std::vector<RecordRef> expected;
    for (const Row& row : rows) {
      if (lets_through(row, lanes)) expected.push_back(row.record);
    }
    store_.prefetch(id);
    for (const bloom::Isa isa : bloom::available_isas()) {
      std::vector<RecordRef> found(rows.size() + kRecordPadCount);
      found.resize(store_.scan(id, row_kernel(isa), lanes.data(), found.data()));
      ASSERT_EQ(found, expected) << bloom::name_of(isa) << ", " << rows.size() << " rows";
    }
  }

  std::size_t memory_bytes() const { return store_.memory_bytes(); }

 private:
  LaneTest random_test() {
    if (prng_.chance(0.4)) return {};
    return {static_cast<std::uint8_t>(prng_.below(kLaneCount)),
            static_cast<std::uint8_t>(prng_.below(256)),
            static_cast<std::uint8_t>(prng_.below(256))};
  }

  base::Prng prng_;
  RowStore store_;
  std::map<BucketId, std::vector<Row>> models_;
  RecordRef next_record_ = 0;
};

// Up and down over every size at which blocks come, grow, shrink and go.
TEST(RowStoreTest, BucketsOfEverySize) {
  enum class Order { kFirst, kLast, kRandom };
  for (const Order order : {Order::kFirst, Order::kLast, Order::kRandom}) {
    SCOPED_TRACE(static_cast<int>(order));
    Buckets buckets(9);
    const BucketId small = buckets.make();
    const BucketId id = buckets.make();
    buckets.add(small);
    for (int size = 0; size < 200; ++size) {
      ASSERT_NO_FATAL_FAILURE(buckets.add(id));
      ASSERT_NO_FATAL_FAILURE(buckets.expect_equal());
    }
    while (!buckets.models()[id].empty()) {
      const std::size_t size = buckets.models()[id].size();
      const std::size_t place = order == Order::kFirst  ? 0
                                : order == Order::kLast ? size - 1
                                                        : buckets.prng().below(size);
      ASSERT_NO_FATAL_FAILURE(buckets.remove(id, place));
      ASSERT_NO_FATAL_FAILURE(buckets.expect_equal());
    }
    buckets.drop(id);
    ASSERT_NO_FATAL_FAILURE(buckets.expect_equal());
  }
}

// To and fro across the sizes at which a block is full.
TEST(RowStoreTest, AppendsAnyNumberToABucketOfAnySize) {
  for (const std::size_t before : {0U, 1U, 7U, 8U, 9U, 31U, 63U, 64U, 65U, 128U, 200U}) {
    for (const std::size_t count : {0U, 1U, 2U, 8U, 40U, 63U, 64U, 65U, 300U}) {
      Buckets buckets(before * 1000 + count);
      const BucketId id = buckets.make();
      for (std::size_t i = 0; i < before; ++i) buckets.add(id);
      buckets.append(id, count);
      buckets.expect_equal();
    }
  }
}

TEST(RowStoreTest, BucketsThatStayAtABoundary) {
  for (const std::size_t boundary : {8U, 16U, 32U, 64U, 65U, 128U, 192U}) {
    SCOPED_TRACE(boundary);
    Buckets buckets(10);
    const BucketId id = buckets.make();
    while (buckets.models()[id].size() < boundary) buckets.add(id);
    for (int round = 0; round < 20; ++round) {
      const std::size_t count = 1 + buckets.prng().below(3);
      for (std::size_t i = 0; i < count; ++i) ASSERT_NO_FATAL_FAILURE(buckets.add(id));
      ASSERT_NO_FATAL_FAILURE(buckets.expect_equal());
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = buckets.prng().below(buckets.models()[id].size());
        ASSERT_NO_FATAL_FAILURE(buckets.remove(id, place));
      }
      ASSERT_NO_FATAL_FAILURE(buckets.expect_equal());
    }
  }
}

TEST(RowStoreTest, ManyBucketsThatComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Buckets buckets(seed);
    base::Prng& prng = buckets.prng();
    for (int round = 0; round < 20'000; ++round) {
      if (buckets.models().size() < 3 || prng.chance(0.01)) buckets.make();
      auto at = buckets.models().begin();
      std::advance(at, prng.below(buckets.models().size()));
      const bool grows = round % 8000 < 5000;
      if (at->second.empty() && prng.chance(0.2)) {
        buckets.drop(at->first);
      } else if (at->second.empty() || prng.chance(grows ? 0.6 : 0.4)) {
        ASSERT_NO_FATAL_FAILURE(buckets.add(at->first));
      } else {
        ASSERT_NO_FATAL_FAILURE(buckets.remove(at->first, prng.below(at->second.size())));
      }
      if (round % 500 == 0) {
        ASSERT_NO_FATAL_FAILURE(buckets.expect_equal());
      }
    }
  }
}

TEST(RowStoreTest, ReusesItsMemory) {
  Buckets buckets(11);
  std::size_t bytes = 0;
  for (int round = 0; round < 5; ++round) {
    std::vector<BucketId> ids;
    for (int i = 0; i < 300; ++i) {
      ids.push_back(buckets.make());
      for (int row = 0; row < i; ++row) buckets.add(ids.back());
    }
    if (round == 1) bytes = buckets.memory_bytes();
    if (round > 1) {
      EXPECT_EQ(buckets.memory_bytes(), bytes);
    }
    for (const BucketId id : ids) {
      while (!buckets.models()[id].empty()) buckets.remove(id, 0);
      buckets.drop(id);
    }
  }
}

}  // namespace
}  // namespace weir::match::content
