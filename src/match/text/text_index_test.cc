// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "match/text/text_oracle_testing.h"

namespace weir::match::text {
namespace {

using Hits = std::vector<TextHit>;

constexpr TextMode kAny = TextMode::kAny;
constexpr TextMode kAll = TextMode::kAll;

TEST(TextIndexTest, MatchesAtTheThresholdAndNotOneStepAbove) {
  const TestDocument document{{1, 0.1}, {2, 0.2}, {3, 0.3}};
  const double score = 0.1 + 0.2 + 0.3;  // another order gives 0.6
  TextIndex index;
  add_to(index, 0, {kAny, {1, 2, 3}, score});
  add_to(index, 1, {kAny, {3, 2, 1}, score});
  add_to(index, 2, {kAny, {3, 2, 1}, 0.3 + 0.2 + 0.1});
  add_to(index, 3, {kAny, {1, 2, 3}, std::nextafter(score, 1)});
  ASSERT_GT(score, 0.3 + 0.2 + 0.1);
  EXPECT_EQ(hits_of(index, document), (Hits{{0, score}, {2, 0.3 + 0.2 + 0.1}}));
}

TEST(TextIndexTest, KnowsATermOfShareZeroFromOneThatIsNotThere) {
  TextIndex index;
  add_to(index, 0, {kAny, {1}, 0});
  add_to(index, 1, {kAll, {1, 2}, 0});
  add_to(index, 2, {kAny, {3}, 0});
  add_to(index, 3, {kAny, {1}, std::numeric_limits<double>::denorm_min()});
  EXPECT_EQ(hits_of(index, {{1, 0.0}}), (Hits{{0, 0}}));
  EXPECT_EQ(hits_of(index, {{1, 0.0}, {2, -0.0}}), (Hits{{0, 0}, {1, 0}}));
  EXPECT_EQ(hits_of(index, {{4, 9.0}}), Hits());
}

TEST(TextIndexTest, HoldsForSharesAndThresholdsOfAnySize) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  TextIndex index;
  add_to(index, 0, {kAny, {1, 2}, kLargest});
  add_to(index, 1, {kAny, {1, 2}, kLeast});
  add_to(index, 2, {kAny, {1, 2}, 1e-42});
  EXPECT_EQ(hits_of(index, {{2, kLeast}}), (Hits{{1, kLeast}}));
  EXPECT_EQ(hits_of(index, {{2, 1e-42}}), (Hits{{1, 1e-42}, {2, 1e-42}}));
  EXPECT_EQ(hits_of(index, {{1, kLargest}}), (Hits{{0, kLargest}, {1, kLargest}, {2, kLargest}}));
}

TEST(TextIndexTest, AnEmptyDocumentMatchesNothing) {
  TextIndex index;
  EXPECT_EQ(hits_of(index, {}), Hits());
  add_to(index, 0, {kAny, {1}, 0});
  add_to(index, 1, {kAll, {1}, 0});
  EXPECT_EQ(hits_of(index, {}), Hits());
}

TEST(TextIndexTest, EqualFiltersAreFoundOnceAndReportedForEachMember) {
  constexpr MemberId kCount = 10'000;
  TextIndex index;
  std::map<MemberId, TestFilter> filters;
  for (MemberId i = 0; i < kCount / 2; ++i) filters[i] = {kAny, {1, 2}, 3.0};
  add_all_to(index, filters);
  for (MemberId i = kCount / 2; i < kCount; ++i) add_to(index, i, {kAny, {1, 2}, 3.0});
  EXPECT_EQ(index.filters().size(), 1U);
  EXPECT_EQ(hits_of(index, {{1, 2.0}, {2, 1.0}}).size(), kCount);
  EXPECT_EQ(index.counters().verified, 1U);
  EXPECT_EQ(index.counters().matched, kCount);
  for (MemberId i = 0; i < kCount; i += 2) index.remove(i);
  const Hits hits = hits_of(index, {{1, 2.0}, {2, 1.0}});
  ASSERT_EQ(hits.size(), kCount / 2);
  EXPECT_EQ(hits.front(), (TextHit{1, 3.0}));
  for (MemberId i = 1; i < kCount; i += 2) index.remove(i);
  EXPECT_EQ(index.terms().size(), 0U);
  EXPECT_EQ(index.filters().size(), 0U);
}

TEST(TextIndexTest, AnUpdateTakesThePlaceOfWhatWas) {
  TextIndex index;
  add_to(index, 5, {kAny, {1}, 1});
  update_in(index, 5, {kAll, {2, 3}, 0});
  EXPECT_EQ(hits_of(index, {{1, 1.0}}), Hits());
  EXPECT_EQ(hits_of(index, {{2, 1.0}, {3, 0.5}}), (Hits{{5, 1.5}}));
  EXPECT_EQ(index.terms().size(), 2U);
  update_in(index, 5, {kAll, {2, 3}, 2});
  EXPECT_EQ(hits_of(index, {{2, 1.0}, {3, 0.5}}), Hits());
}

TEST(TextIndexTest, ReadsOnlyRowsWithAThresholdInReach) {
  TextIndex index;
  for (MemberId i = 0; i < 1000; ++i) {
    add_to(index, i, {kAny, {1, 2}, 1.0 + i});
  }
  EXPECT_EQ(hits_of(index, {{1, 5.0}, {2, 5.0}}).size(), 10U);
  EXPECT_LE(index.counters().scanned, 10U + 5U);
  EXPECT_LE(index.counters().verified, 10U + 5U);
}

TEST(TextIndexTest, FiltersMayHaveAsManyTermsAsTheLimitSays) {
  TestFilter filter{kAny, {}, 0};
  TestDocument document;
  for (std::uint32_t i = 0; i < kQueryTermCountMax; ++i) {
    filter.terms.push_back(i);
    document[i] = 1.0 / (1 + i);
  }
  filter.score_min = score_of(filter, document);
  TextIndex index;
  add_to(index, 0, filter);
  filter.mode = kAll;
  add_to(index, 1, filter);
  EXPECT_EQ(hits_of(index, document), (Hits{{0, filter.score_min}, {1, filter.score_min}}));
  document.erase(1023);
  EXPECT_EQ(hits_of(index, document), Hits());
}

TEST(TextIndexDeathTest, RefusesWhatTheCallerMustHaveChecked) {
  TextIndex index;
  add_to(index, 0, {kAny, {1}, 1});
  EXPECT_DEATH(add_to(index, 0, {kAny, {2}, 1}), "has");
  EXPECT_DEATH(add_to(index, 1, {kAny, {}, 1}), "empty");
  EXPECT_DEATH(add_to(index, 1, {kAny, {1, 1}, 1}), "adjacent_find");
  EXPECT_DEATH(add_to(index, 1, {kAny, {1}, -1}), "score_min");
  EXPECT_DEATH(add_to(index, 1, {kAny, {1}, std::nan("")}), "score_min");
  EXPECT_DEATH(add_to(index, 1, {kAny, std::vector<std::uint32_t>(1025, 1), 1}), "TermCountMax");
  EXPECT_DEATH(index.remove(1), "has");
}

}  // namespace
}  // namespace weir::match::text
