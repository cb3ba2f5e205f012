// SPDX-License-Identifier: Apache-2.0
#include "003/forwarding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "003/generator.h"

namespace weir::lab {
namespace {

QueryLog small_log() {
  return make_queries(
      {.name = "q", .query_count = 300, .vocabulary = 200, .length_mean = 3, .length_max = 12});
}

Documents small_documents() {
  return make_documents(
      {.name = "d", .document_count = 40, .vocabulary = 200, .length_min = 5, .length_max = 90});
}

TEST(ForwardingTest, ThePaperTakesWindowsOfOneTermMore) {
  EXPECT_EQ((Forwarding{.rule = "paper", .length = 3}.at(1.0).length_max), 4U);
  EXPECT_EQ((Forwarding{.rule = "ours", .length = 3}.at(1.0).length_max), 3U);
  for (const char* rule : {"paper", "ours"}) {
    EXPECT_EQ((Forwarding{.rule = rule, .length = 0}.at(1.0).length_max), match::kAnyLength);
  }
}

TEST(FilterIndexTest, FindsAllFiltersWithATermOfTheDocumentAndTheirScores) {
  const QueryLog log = small_log();
  const Documents documents = small_documents();
  FilterIndex index(log);
  for (const match::TermCounts& document : documents.documents) {
    const auto terms = match::scored_terms(document, documents.corpus);
    std::map<std::size_t, Candidate> found;
    for (const Candidate& candidate : index.candidates(terms)) {
      ASSERT_TRUE(found.emplace(candidate.filter, candidate).second);
    }
    for (std::size_t i = 0; i < log.filters.size(); ++i) {
      const match::TextScore wanted = match::score(log.filters[i], document, documents.corpus);
      ASSERT_EQ(found.contains(i), !wanted.shares.empty());
      if (wanted.shares.empty()) continue;
      EXPECT_NEAR(found[i].score, wanted.total, 1e-12);
      const std::string& first = terms[found[i].first].term;
      EXPECT_THAT(log.filters[i], testing::Contains(first));
      for (const auto& [term, share] : wanted.shares) EXPECT_LE(share, terms[found[i].first].score);
    }
  }
}

TEST(ForwardingTest, NoMatchOfAFilterThatIsNotTooLongIsDismissed) {
  const QueryLog log = small_log();
  const Documents documents = small_documents();
  FilterIndex index(log);
  std::size_t match_count = 0;
  std::size_t dismissed_count = 0;
  for (const match::TermCounts& document : documents.documents) {
    const auto terms = match::scored_terms(document, documents.corpus);
    for (const Candidate& candidate : index.candidates(terms)) {
      for (const Forwarding& way : forwardings()) {
        for (const double threshold : kThresholds) {
          if (candidate.score < threshold) continue;
          ++match_count;
          if (candidate.first < match::threshold_term_count(terms, way.at(threshold))) continue;
          ++dismissed_count;
          EXPECT_GT(log.filters[candidate.filter].size(), way.length);
          EXPECT_GT(way.length, 0U);
        }
      }
    }
  }
  EXPECT_GT(match_count, 10'000U);
  EXPECT_GT(dismissed_count, 0U);
}

}  // namespace
}  // namespace weir::lab
