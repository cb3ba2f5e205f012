// SPDX-License-Identifier: Apache-2.0
#include "match/content/point_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

// Points by id, whose hashes and bits are made up.
class PointTableTest : public testing::Test {
 protected:
  std::uint64_t hash_of(PointId id) const { return hashes_[id]; }
  void insert(std::uint64_t hash) {
    const auto id = static_cast<PointId>(hashes_.size());
    hashes_.push_back(hash);
    is_there_.push_back(true);
    table_.insert(hash, {id * 3U, id % 5, id}, [&](PointId other) { return hash_of(other); });
  }
  void erase(PointId id) {
    is_there_[id] = false;
    table_.erase(hash_of(id), id, [&](PointId other) { return hash_of(other); });
  }
  void expect_all() const {
    const auto any = [](PointId) { return true; };
    for (PointId id = 0; id < hashes_.size(); ++id) {
      const PointId found = table_.find(hash_of(id), id * 3U, id % 5, any);
      ASSERT_EQ(found, is_there_[id] ? id : kNoId);
      ASSERT_EQ(table_.find(hash_of(id), id * 3U + 1, id % 5, any), kNoId);
      ASSERT_EQ(table_.find(hash_of(id), id * 3U, id % 5, [](PointId) { return false; }), kNoId);
    }
  }

  PointTable table_;
  std::vector<std::uint64_t> hashes_;
  std::vector<bool> is_there_;
};

TEST_F(PointTableTest, FindsWhatComesAndGoes) {
  SCOPED_TRACE("seed 17");
  base::Prng prng(17);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 2000; ++i) insert(prng.next());
    for (int i = 0; i < 1500; ++i) {
      const auto id = static_cast<PointId>(prng.below(hashes_.size()));
      if (is_there_[id]) erase(id);
    }
    ASSERT_NO_FATAL_FAILURE(expect_all());
  }
  for (PointId id = 0; id < hashes_.size(); ++id) {
    if (is_there_[id]) erase(id);
  }
  expect_all();
}

// Hashes with the same first bits, as somebody may choose values: a split would be of no use, and
// the directory must not grow with every bit that they share.
TEST_F(PointTableTest, HashesThatAreAlikeCostNoMoreMemory) {
  SCOPED_TRACE("seed 18");
  base::Prng prng(18);
  for (int i = 0; i < 1000; ++i) insert(prng.next());
  for (int i = 0; i < 3000; ++i) insert(prng.next() >> 40U);
  ASSERT_NO_FATAL_FAILURE(expect_all());
  EXPECT_LT(table_.memory_bytes(), 60 * hashes_.size());
  for (PointId id = 0; id < hashes_.size(); id += 3) erase(id);
  expect_all();
}

// All home places are the same; the bits before them differ.
TEST_F(PointTableTest, ManyMayBelongInOnePlace) {
  base::Prng prng(19);
  SCOPED_TRACE("seed 19");
  for (int i = 0; i < 1000; ++i) insert(prng.next() | 0x1FFU);
  ASSERT_NO_FATAL_FAILURE(expect_all());
  for (PointId id = 0; id < hashes_.size(); id += 2) erase(id);
  expect_all();
}

}  // namespace
}  // namespace weir::match::content
