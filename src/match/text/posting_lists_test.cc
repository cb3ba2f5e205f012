// SPDX-License-Identifier: Apache-2.0
#include "match/text/posting_lists.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "base/prng.h"

namespace weir::match::text {
namespace {

using Entry = std::tuple<RowKind, float, RecordRef>;

// A row's terms follow from its record, so that each can be checked.
std::vector<TermId> later_of(RowKind kind, RecordRef record) {
  return std::vector<TermId>(kind.row_words() - 2, record * 3);
}

std::vector<Entry> entries_of(const PostingLists& lists, TermId term) {
  std::vector<Entry> entries;
  for (const PostingLists::Chunk& chunk : lists.chunks(term)) {
    const std::size_t width = chunk.kind().row_words();
    EXPECT_LE(chunk.words().size(), PostingLists::kChunkWordsMax);
    EXPECT_EQ(chunk.first_score_min(), std::bit_cast<float>(chunk.words()[0]));
    for (std::size_t i = 0; i < chunk.row_count(); ++i) {
      const auto row = chunk.words().subspan(i * width, width);
      entries.emplace_back(chunk.kind(), std::bit_cast<float>(row[0]), row[1]);
      EXPECT_EQ(std::vector<TermId>(row.begin() + 2, row.end()), later_of(chunk.kind(), row[1]));
    }
  }
  return entries;
}

TEST(RowKindTest, KnowsHowManyTermsComeBehind) {
  for (std::size_t count = 0; count < kQueryTermCountMax; ++count) {
    for (const TextMode mode : {TextMode::kAny, TextMode::kAll}) {
      const RowKind kind = RowKind::of(mode, count);
      EXPECT_EQ(kind.mode(), mode);
      EXPECT_EQ(kind.is_inline(), count < RowKind::kInlineCount);
      EXPECT_GE(kind.later_count_max(), count);
      EXPECT_LE(kind.later_count_max(), 2 * count);
    }
  }
}

// The least threshold of each place of the gate, by definition.
void expect_gate(const PostingLists& lists, TermId term) {
  RowGate expected;
  for (const auto& [kind, score_min, record] : entries_of(lists, term)) {
    expected.open(kind, score_min);
  }
  for (std::size_t i = 0; i < RowGate::kCount; ++i) {
    EXPECT_EQ(lists.gate(term).least(i), expected.least(i));
  }
}

TEST(RowGateTest, IsNeverAboveTheLeastThreshold) {
  base::Prng prng(4);
  for (int i = 0; i < 1000; ++i) {
    RowGate gate;
    EXPECT_EQ(gate.least(2), std::numeric_limits<float>::infinity());
    const auto score_min = static_cast<float>(std::pow(10.0, prng.fraction() * 60 - 30));
    gate.open(RowKind::of(TextMode::kAny, 2), score_min);
    EXPECT_LE(gate.least(2), score_min);
    EXPECT_GE(gate.least(2), score_min * 0.99F);
    gate.open(RowKind::of(TextMode::kAll, 2), 0);
    EXPECT_EQ(gate.least(3), 0);
    EXPECT_TRUE(gate.is_least(RowKind::of(TextMode::kAny, 2), score_min));
  }
}

TEST(PostingListsTest, AgreesWithASortedSet) {
  base::Prng prng(3);
  PostingLists lists;
  lists.resize(2);
  std::set<Entry> expected;
  for (int i = 0; i < 20'000; ++i) {
    const bool grows = i < 10'000;
    if (expected.empty() || prng.chance(grows ? 0.8 : 0.3)) {
      const RowKind kind = RowKind::of(prng.chance(0.5) ? TextMode::kAny : TextMode::kAll,
                                       prng.chance(0.5) ? 2 : prng.below(12));
      const auto score_min = static_cast<float>(prng.below(50));
      const auto record = static_cast<RecordRef>(prng.below(100'000));
      if (!expected.emplace(kind, score_min, record).second) continue;
      const std::vector<TermId> later = later_of(kind, record);
      lists.insert(1, kind, {score_min, record, later});
    } else {
      auto found = expected.lower_bound(
          {RowKind::of(TextMode::kAny, prng.below(8)), static_cast<float>(prng.below(50)), 0});
      if (found == expected.end()) found = expected.begin();
      const auto [kind, score_min, record] = *found;
      lists.erase(1, kind, score_min, record);
      expected.erase(found);
    }
    if (i % 500 == 0) {
      ASSERT_EQ(entries_of(lists, 1), std::vector<Entry>(expected.begin(), expected.end()));
      expect_gate(lists, 1);
    }
  }
  EXPECT_TRUE(lists.chunks(0).empty());
}

TEST(PostingListsTest, AppendsWhatInsertingWouldGive) {
  PostingLists lists;
  lists.resize(1);
  std::vector<Entry> expected;
  for (const std::size_t later_count : {0U, 2U, 9U}) {
    const RowKind kind = RowKind::of(TextMode::kAny, later_count);
    for (RecordRef record = 0; record < 3000; ++record) {
      const auto score_min = static_cast<float>(record / 2);
      const std::vector<TermId> later = later_of(kind, record);
      lists.append(0, kind, {score_min, record, later});
      expected.emplace_back(kind, score_min, record);
    }
  }
  lists.shrink(0);
  EXPECT_EQ(entries_of(lists, 0), expected);
}

}  // namespace
}  // namespace weir::match::text
