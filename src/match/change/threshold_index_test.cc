// SPDX-License-Identifier: Apache-2.0
#include "match/change/threshold_index.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

using Model = std::set<Position>;

std::vector<std::uint64_t> listed(const ThresholdIndex& index, ThresholdIndex::Cursor from,
                                  ThresholdIndex::Cursor to) {
  std::vector<std::uint64_t> ids;
  index.for_each_span(from, to, [&](ThresholdIndex::Span span) {
    EXPECT_FALSE(span.empty());
    ids.insert(ids.end(), span.begin(), span.end());
  });
  EXPECT_EQ(index.count(from, to), ids.size());
  return ids;
}

std::vector<std::uint64_t> ids_of(const Model& model, Position from, Position to) {
  std::vector<std::uint64_t> ids;
  for (auto it = model.lower_bound(from); it != model.end() && *it < to; ++it) {
    ids.push_back(it->id);
  }
  return ids;
}

void expect_equal(const ThresholdIndex& index, const Model& model) {
  ASSERT_EQ(index.size(), model.size());
  ASSERT_EQ(listed(index, index.begin(), index.end()), ids_of(model, {-1e300, 0}, Position::end()));
}

Position random_position(base::Prng& prng) {
  return {static_cast<double>(prng.below(300)) / 8, prng.below(40)};
}

TEST(ThresholdIndexTest, AgreesWithASetOverRandomChanges) {
  base::Prng prng(5);
  ThresholdIndex index;
  Model model;
  for (int step = 0; step < 60'000; ++step) {
    const Position position = random_position(prng);
    // Grows, then shrinks to nothing, several times over.
    if (prng.chance(step % 20'000 < 12'000 ? 0.7 : 0.1)) {
      ASSERT_EQ(index.insert(position), model.insert(position).second);
    } else {
      ASSERT_EQ(index.erase(position), model.erase(position) == 1);
    }
    ASSERT_EQ(index.contains(position), model.contains(position));
    if (step % 997 == 0) expect_equal(index, model);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ThresholdIndexTest, FindsAndListsRanges) {
  base::Prng prng(6);
  ThresholdIndex index;
  Model model;
  for (int i = 0; i < 9'000; ++i) {
    const Position position = random_position(prng);
    index.insert(position);
    model.insert(position);
  }
  for (int i = 0; i < 3'000; ++i) {
    const Position from = random_position(prng);
    const Position to = prng.chance(0.1) ? Position::end() : random_position(prng);
    const auto cursor = index.lower_bound(from);
    const auto end = index.seek(cursor, to);
    ASSERT_EQ(listed(index, cursor, end), ids_of(model, from, to));
    if (end != index.end()) {
      ASSERT_EQ(index.at(end), *model.lower_bound(std::max(from, to)));
    }
  }
}

TEST(ThresholdIndexTest, AnEmptyIndexHasNoMembers) {
  const ThresholdIndex index;
  EXPECT_EQ(index.begin(), index.end());
  EXPECT_EQ(index.lower_bound({1, 1}), index.end());
  EXPECT_EQ(index.seek(index.begin(), {1, 1}), index.end());
}

TEST(ThresholdIndexTest, IsBuiltAtOnceFromAnyOrder) {
  base::Prng prng(7);
  std::vector<Position> positions;
  Model model;
  for (int i = 0; i < 5'000; ++i) {
    positions.push_back(random_position(prng));
    model.insert(positions.back());
  }
  ThresholdIndex index;
  index.insert({1e9, 1});
  index.assign(positions);
  expect_equal(index, model);
  EXPECT_TRUE(index.insert({-5, 3}));
  EXPECT_TRUE(index.erase(*model.begin()));
}

TEST(ThresholdIndexTest, TakesEighteenBytesPerIdAfterRandomInsertionsAndLeavers) {
  base::Prng prng(8);
  ThresholdIndex index;
  for (std::uint64_t id = 0; id < 200'000; ++id) index.insert({prng.fraction(), id});
  EXPECT_LT(static_cast<double>(index.memory_bytes()) / 200'000, 18);

  ThresholdIndex in_order;
  for (std::uint64_t id = 0; id < 200'000; ++id) in_order.insert({1, id});
  EXPECT_LT(static_cast<double>(in_order.memory_bytes()) / 200'000, 18);
}

TEST(ThresholdIndexTest, GivesMemoryBackWhenMembersLeave) {
  ThresholdIndex index;
  for (std::uint64_t id = 0; id < 100'000; ++id) index.insert({0, id});
  for (std::uint64_t id = 0; id < 100'000; ++id) {
    if (id % 64 != 0) index.erase({0, id});
  }
  EXPECT_LT(index.memory_bytes() / index.size(), 48);
}

}  // namespace
}  // namespace weir::match
