// SPDX-License-Identifier: Apache-2.0
#include "match/text/term_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/prng.h"

namespace weir::match::text {
namespace {

TEST(TermTableTest, GivesEachTermOneNumber) {
  TermTable table;
  const TermId storm = table.acquire("storm");
  EXPECT_NE(table.acquire("flood"), storm);
  EXPECT_EQ(table.acquire("storm"), storm);
  EXPECT_EQ(table.find("storm"), storm);
  EXPECT_EQ(table.term(storm), "storm");
  EXPECT_EQ(table.use_count(storm), 2U);
  EXPECT_EQ(table.find("rescue"), kNoId);
}

TEST(TermTableTest, ForgetsATermThatNobodyUses) {
  TermTable table;
  const TermId storm = table.acquire("storm");
  table.acquire("storm");
  EXPECT_FALSE(table.release(storm));
  EXPECT_TRUE(table.release(storm));
  EXPECT_EQ(table.find("storm"), kNoId);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.acquire("flood"), storm) << "the number is free again";
  EXPECT_EQ(table.id_end(), 1U);
}

TEST(TermTableTest, AgreesWithAMap) {
  base::Prng prng(1);
  TermTable table;
  std::map<std::string, std::uint32_t> use_counts;
  for (int i = 0; i < 20'000; ++i) {
    const std::string term(1 + prng.below(40), static_cast<char>('a' + prng.below(20)));
    if (prng.chance(0.5)) {
      table.acquire(term);
      ++use_counts[term];
    } else if (const auto found = use_counts.find(term); found != use_counts.end()) {
      ASSERT_EQ(table.release(table.find(term)), found->second == 1);
      if (--found->second == 0) use_counts.erase(found);
    }
    ASSERT_EQ(table.size(), use_counts.size());
    ASSERT_EQ(table.find(term) != kNoId, use_counts.contains(term));
  }
  for (const auto& [term, count] : use_counts) {
    EXPECT_EQ(table.use_count(table.find(term)), count);
    EXPECT_EQ(table.term(table.find(term)), term);
  }
}

}  // namespace
}  // namespace weir::match::text
