// SPDX-License-Identifier: Apache-2.0
#include "003/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "003/generator.h"

namespace weir::lab {
namespace {

using testing::ElementsAre;

TEST(QueryLogTest, AFilterHasTheDifferentTermsOfAQuery) {
  const auto log = parse_queries("q", "the storms and a Storm\nof the\nflooded rivers, rivers\n");
  ASSERT_TRUE(log.has_value()) << log.error().message;
  EXPECT_THAT(log->filters, ElementsAre(ElementsAre("storm"), ElementsAre("flood", "river")));
  EXPECT_THAT(log->word_counts, ElementsAre(5, 2, 3));
}

TEST(QueryLogTest, MustHaveATerm) {
  EXPECT_EQ(parse_queries("q", "").error().message, "q: no query has a term");
  EXPECT_EQ(parse_queries("q", "the\nof\n").error().message, "q: no query has a term");
  EXPECT_EQ(read_queries("q", "no/such/file").error().message, "cannot read no/such/file");
}

TEST(DocumentsTest, AllOfThemAreInTheCorpus) {
  const auto documents = parse_documents("d", "storms storm coast\nthe\nmarket storm\n");
  ASSERT_TRUE(documents.has_value()) << documents.error().message;
  ASSERT_EQ(documents->documents.size(), 3U);
  EXPECT_EQ(documents->documents[0].frequency("storm"), 2U);
  EXPECT_TRUE(documents->documents[1].counts.empty());
  EXPECT_EQ(documents->corpus.document_count(), 3U);
  EXPECT_DOUBLE_EQ(documents->corpus.idf("storm"), std::log(3.0 / 2));
}

TEST(DocumentsTest, MustHaveATerm) {
  EXPECT_EQ(parse_documents("d", "the\n\n").error().message, "d: no document has a term");
  EXPECT_EQ(read_documents("d", "no/such/file").error().message, "cannot read no/such/file");
}

TEST(TextGeneratorTest, TheSameSeedGivesTheSameAndAnotherGivesOthers) {
  QueryOptions queries{
      .name = "q", .query_count = 50, .vocabulary = 90, .length_mean = 2, .length_max = 9};
  EXPECT_EQ(make_queries(queries).filters, make_queries(queries).filters);
  const auto filters = make_queries(queries).filters;
  queries.seed = 2;
  EXPECT_NE(make_queries(queries).filters, filters);
  DocumentOptions documents{
      .name = "d", .document_count = 5, .vocabulary = 90, .length_min = 3, .length_max = 9};
  EXPECT_EQ(make_documents(documents).documents, make_documents(documents).documents);
  const auto counts = make_documents(documents).documents;
  documents.seed = 2;
  EXPECT_NE(make_documents(documents).documents, counts);
}

TEST(TextGeneratorTest, LengthsOfQueriesAreAsTheyShouldBe) {
  const QueryLog log = make_queries({.name = "q",
                                     .query_count = 20'000,
                                     .vocabulary = 1'000,
                                     .length_mean = 2.5,
                                     .length_max = 6});
  std::size_t sum = 0;
  std::size_t ones = 0;
  std::size_t most = 0;
  for (const Filter& filter : log.filters) {
    sum += filter.size();
    ones += filter.size() == 1 ? 1U : 0U;
    most = std::max(most, filter.size());
  }
  EXPECT_NEAR(static_cast<double>(sum) / 20'000, 2.5, 0.05);
  EXPECT_NEAR(static_cast<double>(ones) / 20'000, std::exp(-1.5), 0.01);
  EXPECT_EQ(most, 6U);
}

TEST(TextGeneratorTest, DocumentsHaveTheTermsOfZipfsLaw) {
  const Documents documents = make_documents({.name = "d",
                                              .document_count = 200,
                                              .vocabulary = 2'000,
                                              .skipped_ranks = 4,
                                              .length_min = 50,
                                              .length_max = 150});
  std::size_t sum = 0;
  std::size_t first = 0;
  std::size_t second = 0;
  for (const match::TermCounts& document : documents.documents) {
    ASSERT_GE(document.counts.size(), 50U);
    ASSERT_LE(document.counts.size(), 150U);
    ASSERT_TRUE(std::ranges::is_sorted(document.counts, {}, &match::TermCount::term));
    sum += document.counts.size();
    first += document.frequency("#1");
    second += document.frequency("#2");
  }
  EXPECT_NEAR(static_cast<double>(sum) / 200, 100, 8);
  EXPECT_NEAR(static_cast<double>(first) / static_cast<double>(second), 6.0 / 5, 0.1);
}

}  // namespace
}  // namespace weir::lab
