// SPDX-License-Identifier: Apache-2.0
#include "cli/state_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StateEstimate estimate(std::string_view filter) {
  return estimate_state(*filter::Filter::parse(filter).value());
}

TEST(StateEstimateTest, NeedsNoneForTopicAndContent) {
  const StateEstimate state = estimate("type = 'x' and data.a > 1");
  EXPECT_EQ(to_text(state), "  none\n");
  EXPECT_EQ(to_json(state), "{}");
}

TEST(StateEstimateTest, NeedsAValuePerKeyAndTermForChange) {
  const StateEstimate one = estimate("change(data.a, by (subject, data.b)) > 1");
  const StateEstimate two =
      estimate("change(data.a, id = '1') > 1 and change(data.a, id = '2') > 1");
  ASSERT_EQ(one.changes.size(), 1U);
  EXPECT_THAT(one.changes[0].keys, ElementsAre("subject", "data.b"));
  EXPECT_EQ(one.changes[0].term_count, 1U);
  ASSERT_EQ(two.changes.size(), 1U);
  EXPECT_THAT(two.changes[0].keys, IsEmpty());
  EXPECT_EQ(two.changes[0].term_count, 2U);
  EXPECT_GT(two.changes[0].bytes_per_key, one.changes[0].bytes_per_key);
}

TEST(StateEstimateTest, CountsConjunctionsWithChangeApart) {
  EXPECT_EQ(estimate("change(data.a) > 1 or change(data.b, by id) > 1 or id = '1'").changes.size(),
            2U);
}

TEST(StateEstimateTest, NeedsTheKeysAliveForDistinct) {
  const StateEstimate state = estimate("type = 'x' and distinct(data.ad, data.ip) within 24h");
  ASSERT_TRUE(state.distinct.has_value());
  EXPECT_THAT(state.distinct->keys, ElementsAre("data.ad", "data.ip"));
  EXPECT_THAT(to_text(state), HasSubstr("within 1d"));
  EXPECT_EQ(to_json(state),
            R"({"distinct":{"keys":["data.ad","data.ip"],"within":"1d","bytes_per_key":140,)"
            R"("key_count_max":10000000}})");
}

TEST(StateEstimateTest, NeedsOneCorpusPerChoiceOfFields) {
  const StateEstimate state = estimate(
      "text(data.a) about 'storm' score >= 1 or text(data.a) about 'flood' score >= 1 or "
      "text(data.a, data.b) about 'storm' score >= 1");
  ASSERT_EQ(state.corpora.size(), 2U);
  EXPECT_THAT(state.corpora[0].fields, ElementsAre("data.a"));
  EXPECT_THAT(state.corpora[1].fields, ElementsAre("data.a", "data.b"));
}

}  // namespace
}  // namespace weir::cli
