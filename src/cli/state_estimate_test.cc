// SPDX-License-Identifier: Apache-2.0
#include "cli/state_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

StateEstimate estimate(std::string_view filter) {
  return estimate_state(filter::Filter::parse(filter).value());
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
  EXPECT_EQ(estimate("change(data.a) > 1 with previous").changes[0].bytes_per_key,
            two.changes[0].bytes_per_key)
      << "two events";
}

TEST(StateEstimateTest, CountsConjunctionsWithChangeApart) {
  EXPECT_EQ(estimate("change(data.a) > 1 or change(data.b, by id) > 1 or id = '1'").changes.size(),
            2U);
}

TEST(StateEstimateTest, NeedsTheKeysAliveForDistinct) {
  const StateEstimate state =
      estimate("type = 'x' and distinct(data.ad, data.ip) within 24h exact");
  ASSERT_TRUE(state.distinct.has_value());
  EXPECT_THAT(state.distinct->keys, ElementsAre("data.ad", "data.ip"));
  EXPECT_THAT(to_text(state), HasSubstr("within 1d"));
  EXPECT_EQ(to_json(state),
            R"({"distinct":{"keys":["data.ad","data.ip"],"within":"1d","mode":"exact",)"
            R"("bytes_per_key":140,"key_count_max":10000000}})");
  EXPECT_THAT(to_text(state),
              HasSubstr("within 1d, about 140 bytes per key, at most 10,000,000 keys\n"));
}

TEST(StateEstimateTest, TellsTheBoundOfAnApproximateWindow) {
  const StateEstimate state = estimate("distinct(id) within 1h");
  ASSERT_TRUE(state.distinct.has_value());
  ASSERT_TRUE(state.distinct->bytes_max.has_value());
  EXPECT_GT(*state.distinct->bytes_max, 13U * 10'000'000);
  EXPECT_THAT(to_text(state),
              MatchesRegex("  distinct: each id delivered within 1h, at most one in 1,000,000 "
                           "distinct events dropped, about 13 bytes per key, at most 10,000,000 "
                           "keys and [0-9.]+ [MG]iB\n"));
  EXPECT_THAT(to_json(state), MatchesRegex(".*\"mode\":\"approximate\",\"false_positives_max\":"
                                           "1e-06,\"bytes_per_key\":13,.*\"bytes_max\":[0-9]+}}"));
  const StateEstimate rough = estimate("distinct(id) within 1h false positives <= 1%");
  EXPECT_EQ(rough.distinct->bytes_per_key, 5U);
  EXPECT_LT(*rough.distinct->bytes_max, *state.distinct->bytes_max);
  EXPECT_THAT(to_text(rough), HasSubstr("at most one in 100 distinct events"));
}

TEST(StateEstimateTest, LooksVerifiedKeysUpInTheLog) {
  const StateEstimate state = estimate("distinct(id) within 1h verify");
  EXPECT_THAT(to_text(state),
              HasSubstr("within 1h, looked up in the log, about 60 bytes per key, at most"));
  EXPECT_THAT(to_json(state), HasSubstr(R"("mode":"verify","bytes_per_key":60,)"));
}

TEST(StateEstimateTest, NeedsOneCorpusPerChoiceOfFieldsAndLanguage) {
  const StateEstimate state = estimate(
      "text(data.a) about 'storm' score >= 1 or text(data.a) about 'flood' score >= 1 or "
      "text(data.a, html(data.b)) about 'storm' score >= 1 or text(data.a) in 'german' about 'a'");
  ASSERT_EQ(state.corpora.size(), 3U);
  EXPECT_THAT(state.corpora[0].fields, ElementsAre("data.a"));
  EXPECT_THAT(state.corpora[1].fields, ElementsAre("data.a"));
  EXPECT_THAT(state.corpora[2].fields, ElementsAre("data.a", "html(data.b)"));
  EXPECT_THAT(to_text(state), HasSubstr("each word in data.a in german, about 85 bytes"));
  EXPECT_THAT(to_json(state), HasSubstr(R"({"fields":["data.a"],"language":"german",)"));
}

}  // namespace
}  // namespace weir::cli
