// SPDX-License-Identifier: Apache-2.0
#include "match/text/filter_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/prng.h"

namespace weir::match::text {
namespace {

using Terms = std::vector<TermId>;

std::vector<MemberId> members_of(const FilterTable& table, RecordRef record) {
  std::vector<MemberId> members;
  table.for_each_member(record, [&](MemberId member) { members.push_back(member); });
  std::ranges::sort(members);
  return members;
}

TEST(FilterTableTest, KeepsEqualFiltersOnce) {
  FilterTable table;
  const auto first = table.add(3, TextMode::kAny, Terms{5, 1}, 2.5);
  const auto second = table.add(0, TextMode::kAny, Terms{5, 1}, 2.5);
  EXPECT_TRUE(first.is_new);
  EXPECT_FALSE(second.is_new);
  EXPECT_EQ(first.record, second.record);
  EXPECT_EQ(members_of(table, first.record), (std::vector<MemberId>{0, 3}));
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.member_count(), 2U);
}

TEST(FilterTableTest, TellsFiltersApartByModeOrderAndTheLastBitOfTheThreshold) {
  FilterTable table;
  table.add(0, TextMode::kAny, Terms{5, 1}, 2.5);
  EXPECT_TRUE(table.add(1, TextMode::kAll, Terms{5, 1}, 2.5).is_new);
  EXPECT_TRUE(table.add(2, TextMode::kAny, Terms{1, 5}, 2.5).is_new);
  EXPECT_TRUE(table.add(3, TextMode::kAny, Terms{5, 1}, std::nextafter(2.5, 3)).is_new);
  EXPECT_TRUE(table.add(4, TextMode::kAny, Terms{5}, 2.5).is_new);
}

TEST(FilterTableTest, FindsAFilterWhateverItsSide) {
  FilterTable table;
  const RecordRef record = table.add(0, TextMode::kAll, Terms{1, 2, 3}, 0).record;
  table.set_side(record, 1);
  EXPECT_EQ(table.side(record), 1U);
  EXPECT_EQ(table.mode(record), TextMode::kAll);
  EXPECT_FALSE(table.add(1, TextMode::kAll, Terms{1, 2, 3}, 0).is_new);
}

TEST(FilterTableTest, AgreesWithAMap) {
  using Key = std::tuple<TextMode, Terms, double>;
  base::Prng prng(2);
  FilterTable table;
  std::map<Key, std::set<MemberId>> filters;
  std::map<MemberId, Key> members;
  for (int i = 0; i < 30'000; ++i) {
    const auto member = static_cast<MemberId>(prng.below(500));
    if (const auto found = members.find(member); found != members.end()) {
      const RecordRef record = table.remove(member);
      auto& shared = filters[found->second];
      shared.erase(member);
      ASSERT_EQ(table.has_members(record), !shared.empty());
      if (shared.empty()) {
        table.erase(record);
        filters.erase(found->second);
      }
      members.erase(found);
    } else {
      const Key key{prng.chance(0.5) ? TextMode::kAny : TextMode::kAll,
                    Terms(1 + prng.below(3), static_cast<TermId>(prng.below(30))),
                    static_cast<double>(prng.below(3))};
      const auto& [mode, terms, score_min] = key;
      const auto added = table.add(member, mode, terms, score_min);
      ASSERT_EQ(added.is_new, !filters.contains(key));
      filters[key].insert(member);
      members[member] = key;
      ASSERT_EQ(members_of(table, added.record),
                (std::vector<MemberId>(filters[key].begin(), filters[key].end())));
      ASSERT_EQ(Terms(table.terms(added.record).begin(), table.terms(added.record).end()), terms);
      ASSERT_EQ(table.score_min(added.record), score_min);
    }
    ASSERT_EQ(table.size(), filters.size());
  }
}

}  // namespace
}  // namespace weir::match::text
