// SPDX-License-Identifier: Apache-2.0
#include "match/content/record_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "base/prng.h"

namespace weir::match::content {
namespace {

constexpr ColumnId kColumnCount = 30;

// What a record was made of and given later.
struct Model {
  Match match;
  std::vector<CodeTest> tests;
  std::uint32_t extra = kNoId;
  RecordRef next = kNoId;
  DoorChoice door = {};
  unsigned side = 0;
  std::uint32_t row = 0;
};

CodeTest random_test(base::Prng& prng) {
  const auto column = static_cast<ColumnId>(prng.chance(0.1) ? kColumnBound - 1 - prng.below(3)
                                                             : prng.below(kColumnCount));
  const auto low = static_cast<Code>(prng.below(10));
  switch (prng.below(4)) {
    case 0:
      return CodeTest::equal(column, low);
    case 1:
      return CodeTest::not_equal(column, low);
    case 2:
      return CodeTest::range(column, low, low + static_cast<Code>(prng.below(6)));
    default:  // on from the largest code to 0
      return CodeTest::range(column, low + 2, low - static_cast<Code>(prng.below(4)));
  }
}

Model random_model(base::Prng& prng) {
  Model model;
  const std::uint64_t bits = prng.chance(0.5) ? 40 : 0;
  model.match.subscription = SubscriptionId{prng.next() >> bits};
  if (prng.chance(0.3)) model.match.conjunction = static_cast<std::uint32_t>(1 + prng.below(900));
  std::size_t test_count = prng.below(6);
  if (prng.chance(0.02)) test_count = RecordStore::kTestCountMax - prng.below(2);
  for (std::size_t i = 0; i < test_count; ++i) model.tests.push_back(random_test(prng));
  if (prng.chance(0.3)) model.extra = static_cast<std::uint32_t>(prng.below(1000));
  if (prng.chance(0.3)) model.next = static_cast<RecordRef>(prng.below(1000));
  return model;
}

void expect_record(const RecordStore& store, RecordRef ref, const Model& model) {
  ASSERT_EQ(store.subscription(ref), model.match.subscription);
  ASSERT_EQ((Match{store.subscription(ref), store.conjunction(ref)}), model.match);
  ASSERT_EQ(store.extra(ref), model.extra);
  ASSERT_EQ(store.has_extra(ref), model.extra != kNoId);
  ASSERT_EQ(store.next(ref), model.next);
  ASSERT_EQ(store.test_count(ref), model.tests.size());
  ASSERT_EQ(store.door(ref), model.door);
  ASSERT_EQ(store.side(ref), model.side);
  ASSERT_EQ(store.row(ref), model.row);
  std::vector<CodeTest> tests = {CodeTest::equal(1, 1)};
  store.read_tests(ref, tests);
  ASSERT_EQ(tests, model.tests);
}

void mark(RecordStore& store, RecordRef ref, Model& model, base::Prng& prng) {
  model.door = {static_cast<DoorChoice::Kind>(prng.below(DoorChoice::kKindCount)),
                static_cast<std::uint8_t>(prng.below(256)),
                static_cast<std::uint8_t>(prng.below(3))};
  model.side = static_cast<unsigned>(prng.below(2));
  model.row = static_cast<std::uint32_t>(prng.next());
  store.set_place(ref, model.door, model.side);
  store.set_row(ref, model.row);
}

TEST(RecordStoreTest, KeepsRecordsThatComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    RecordStore store;
    std::map<RecordRef, Model> models;
    for (int round = 0; round < 3000; ++round) {
      const bool grows = round % 1000 < 600;
      if (models.empty() || prng.chance(grows ? 0.7 : 0.3)) {
        Model model = random_model(prng);
        const RecordRef ref = store.add(
            {.match = model.match, .tests = model.tests, .extra = model.extra, .next = model.next});
        const auto [at, is_new] = models.emplace(ref, std::move(model));
        ASSERT_TRUE(is_new);
        ASSERT_NO_FATAL_FAILURE(expect_record(store, ref, at->second)) << "as added";
        mark(store, ref, at->second, prng);
      } else {
        const auto gone =
            std::next(models.begin(), static_cast<std::ptrdiff_t>(prng.below(models.size())));
        store.remove(gone->first);
        models.erase(gone);
      }
      ASSERT_EQ(store.size(), models.size());
      if (round % 100 != 0) continue;
      for (const auto& [ref, model] : models) {
        ASSERT_NO_FATAL_FAILURE(expect_record(store, ref, model));
      }
    }
  }
}

// Some code in every column, but for the one that stands for several values.
struct FakeValues {
  std::uint64_t seed;

  Code code(ColumnId column) const {
    const auto code = static_cast<Code>(base::Prng(seed + column).below(15));
    return code < kManyCode ? code : code + 1;
  }
  event::Value value(SlotId) const { return {}; }
};

struct ManyEverywhere {
  Code code(ColumnId) const { return kManyCode; }
  event::Value value(SlotId) const { return {}; }
};

TEST(RecordStoreTest, ARangeLetsSeveralValuesPass) {
  RecordStore store;
  const ColumnId numbers = column_of(3, ColumnKind::kNumber);
  const std::vector<CodeTest> ranges = {CodeTest::range(numbers, 100, 200)};
  EXPECT_TRUE(store.holds(store.add({.match = {}, .tests = ranges}), ManyEverywhere{}));
  const std::vector<CodeTest> others = {CodeTest::equal(numbers, 100)};
  EXPECT_FALSE(store.holds(store.add({.match = {}, .tests = others}), ManyEverywhere{}));
}

TEST(RecordStoreTest, HoldsIfAllTestsHold) {
  constexpr std::uint64_t kSeed = 8;
  SCOPED_TRACE(kSeed);
  base::Prng prng(kSeed);
  RecordStore store;
  std::size_t held = 0;
  for (int round = 0; round < 5000; ++round) {
    Model model = random_model(prng);
    const RecordRef ref =
        store.add({.match = model.match, .tests = model.tests, .extra = model.extra});
    for (int event = 0; event < 8; ++event) {
      const std::uint64_t event_seed = prng.next();
      const FakeValues values{event_seed};
      const bool expected = std::ranges::all_of(
          model.tests, [&](const CodeTest& test) { return test.holds(values.code(test.column)); });
      ASSERT_EQ(store.holds(ref, values), expected);
      if (expected && !model.tests.empty()) ++held;
    }
    if (prng.chance(0.5)) store.remove(ref);
  }
  EXPECT_GT(held, 1000U);
}

TEST(RecordStoreTest, ReusesRemovedRecords) {
  RecordStore store;
  std::vector<CodeTest> tests = {CodeTest::equal(0, 5), CodeTest::range(1, 5, 9)};
  const auto fill = [&] {
    std::vector<RecordRef> refs;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      refs.push_back(store.add({.match = {SubscriptionId{i}, 0}, .tests = tests}));
    }
    return refs;
  };
  std::vector<RecordRef> first = fill();
  for (const RecordRef ref : first) store.remove(ref);
  const std::size_t bytes = store.memory_bytes();
  std::vector<RecordRef> second = fill();
  EXPECT_EQ(store.memory_bytes(), bytes);
  std::ranges::sort(first);
  std::ranges::sort(second);
  EXPECT_EQ(first, second);
}

// A chunk has 2^18 words; a record of 255 ranges about 640.
TEST(RecordStoreTest, LongRecordsLieInOneChunkEach) {
  RecordStore store;
  std::vector<CodeTest> tests;
  for (ColumnId column = 0; column < RecordStore::kTestCountMax; ++column) {
    tests.push_back(CodeTest::range(column, column + 1, column + 2));
  }
  std::vector<RecordRef> refs;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    refs.push_back(store.add({.match = {SubscriptionId{i}, 1}, .tests = tests}));
  }
  for (std::uint64_t i = 0; i < refs.size(); ++i) {
    ASSERT_NO_FATAL_FAILURE(
        expect_record(store, refs[i], {.match = {SubscriptionId{i}, 1}, .tests = tests}));
  }
}

}  // namespace
}  // namespace weir::match::content
