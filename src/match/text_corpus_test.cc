// SPDX-License-Identifier: Apache-2.0
#include "match/text_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Terms = std::vector<std::string>;

TermCounts added(TextCorpus& corpus, Terms terms) {
  TermCounts document = count_terms(std::move(terms));
  corpus.add(document);
  return document;
}

TEST(TermCountsTest, CountsEachTermOnceInAscendingOrder) {
  const TermCounts document = count_terms({"storm", "flood", "zürich", "flood"});
  EXPECT_THAT(document.counts,
              ElementsAre(TermCount{"flood", 2}, TermCount{"storm", 1}, TermCount{"zürich", 1}));
  EXPECT_EQ(document.frequency_max, 2U);
  EXPECT_EQ(document.frequency("flood"), 2U);
  EXPECT_EQ(document.frequency("storm"), 1U);
  EXPECT_EQ(document.frequency("floo"), 0U);
  EXPECT_EQ(document.frequency(""), 0U);
}

TEST(TermCountsTest, IsTheSameInAnyOrderOfTheTerms) {
  EXPECT_EQ(count_terms({"a", "b", "a"}), count_terms({"b", "a", "a"}));
  EXPECT_NE(count_terms({"a", "b", "a"}), count_terms({"b", "b", "a"}));
}

TEST(TermCountsTest, OfNothingIsEmpty) {
  const TermCounts document = count_terms({});
  EXPECT_THAT(document.counts, IsEmpty());
  EXPECT_EQ(document.frequency_max, 0U);
}

TEST(TextCorpusTest, KnowsNothingAtFirst) {
  const TextCorpus corpus;
  EXPECT_EQ(corpus.document_count(), 0U);
  EXPECT_EQ(corpus.term_count(), 0U);
  EXPECT_EQ(corpus.idf("storm"), 0.0);
}

TEST(TextCorpusTest, CountsDocumentsThatHaveATermNotOccurrences) {
  TextCorpus corpus;
  added(corpus, {"storm", "storm", "storm"});
  added(corpus, {"storm", "flood"});
  added(corpus, {});
  added(corpus, {"rain"});
  EXPECT_EQ(corpus.document_count(), 4U);
  EXPECT_EQ(corpus.term_count(), 3U);
  EXPECT_DOUBLE_EQ(corpus.idf("storm"), 0.69314718055994531);  // ln(4/2)
  EXPECT_DOUBLE_EQ(corpus.idf("flood"), 1.3862943611198906);   // ln(4/1)
  EXPECT_EQ(corpus.idf("snow"), 0.0);
}

// The example of the header.
TEST(TextCorpusTest, ScoresByDefinition) {
  TextCorpus corpus;
  added(corpus, {"storm", "coast"});
  added(corpus, {"market"});
  added(corpus, {"market", "rain"});
  const TermCounts document = added(corpus, {"storm", "flood", "flood"});
  const TextScore result = score(Terms{"storm", "flood", "rescue"}, document, corpus);
  EXPECT_NEAR(result.total, 1.7329, 0.00005);
  EXPECT_THAT(result.shares, ElementsAre(Pair("storm", testing::DoubleEq(0.34657359027997264)),
                                         Pair("flood", testing::DoubleEq(1.3862943611198906))));
}

TEST(TextCorpusTest, ScoresTheFirstDocumentZero) {
  TextCorpus corpus;
  const TermCounts document = added(corpus, {"storm", "flood"});
  const TextScore result = score(Terms{"storm", "flood"}, document, corpus);
  EXPECT_EQ(result.total, 0.0);
  EXPECT_THAT(result.shares, ElementsAre(Pair("storm", 0.0), Pair("flood", 0.0)));
}

TEST(TextCorpusTest, ScoresARepeatedQueryTermOnce) {
  TextCorpus corpus;
  added(corpus, {"rain"});
  const TermCounts document = added(corpus, {"storm"});
  EXPECT_EQ(score(Terms{"storm", "storm", "storm"}, document, corpus),
            score(Terms{"storm"}, document, corpus));
}

TEST(TextCorpusTest, ScoresNothingOfNothing) {
  TextCorpus corpus;
  added(corpus, {"rain"});
  const TermCounts empty = added(corpus, {});
  EXPECT_EQ(score(Terms{"rain"}, empty, corpus), TextScore{});
  EXPECT_EQ(score({}, count_terms({"rain"}), corpus), TextScore{});
}

TEST(TextCorpusTest, ATermInEveryDocumentIsWorthNothing) {
  TextCorpus corpus;
  added(corpus, {"weather", "rain"});
  const TermCounts document = added(corpus, {"weather", "storm"});
  const TextScore result = score(Terms{"weather", "storm"}, document, corpus);
  EXPECT_THAT(result.shares,
              ElementsAre(Pair("weather", 0.0), Pair("storm", testing::DoubleEq(std::log(2.0)))));
}

TEST(TextCorpusTest, TakesTermsBeyondTheLimitForNew) {
  TextCorpus corpus({.term_count_max = 2});
  added(corpus, {"flood", "storm"});
  EXPECT_EQ(corpus.overflow_count(), 0U);
  EXPECT_EQ(corpus.idf("rain"), 0.0);
  added(corpus, {"rain", "storm"});
  const TermCounts document = added(corpus, {"rain", "snow"});
  EXPECT_EQ(corpus.term_count(), 2U);
  EXPECT_EQ(corpus.overflow_count(), 3U);
  EXPECT_DOUBLE_EQ(corpus.idf("storm"), std::log(3.0 / 2.0)) << "what is kept is still counted";
  EXPECT_DOUBLE_EQ(corpus.idf("rain"), std::log(3.0)) << "n_t = 1, though two documents have it";
  EXPECT_DOUBLE_EQ(score(Terms{"rain"}, document, corpus).total, std::log(3.0));
}

// The definition once more, from the documents themselves and without any running statistics.
double naive_score(const Terms& query, const Terms& document, const std::vector<Terms>& published) {
  const auto frequency = [](const Terms& terms, const std::string& term) {
    return static_cast<double>(std::ranges::count(terms, term));
  };
  double frequency_max = 0.0;
  for (const std::string& term : document) {
    frequency_max = std::max(frequency_max, frequency(document, term));
  }
  double total = 0.0;
  for (auto term = query.begin(); term != query.end(); ++term) {
    if (std::find(query.begin(), term, *term) != term) continue;
    const auto having = std::ranges::count_if(
        published, [&](const Terms& terms) { return frequency(terms, *term) > 0.0; });
    if (frequency(document, *term) == 0.0) continue;
    total += frequency(document, *term) / frequency_max *
             std::log(static_cast<double>(published.size()) / static_cast<double>(having));
  }
  return total;
}

// Small ranks are common, as in language.
Terms random_terms(base::Prng& prng, std::size_t count_max) {
  Terms terms(prng.below(count_max + 1));
  for (std::string& term : terms) {
    const double fraction = prng.fraction();
    term = "t" + std::to_string(static_cast<int>(fraction * fraction * fraction * 60.0));
  }
  return terms;
}

TEST(TextCorpusTest, ScoresRandomDocumentsAsTheNaiveRecomputation) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Prng prng(seed);
    TextCorpus corpus;
    TextCorpus twin;
    std::vector<Terms> published;
    std::size_t positive_count = 0;
    for (int i = 0; i < 100; ++i) {
      published.push_back(random_terms(prng, 30));
      const TermCounts document = added(corpus, published.back());
      added(twin, published.back());
      const Terms query = random_terms(prng, 6);
      const TextScore result = score(query, document, corpus);
      ASSERT_DOUBLE_EQ(result.total, naive_score(query, published.back(), published));
      ASSERT_EQ(result, score(query, document, twin)) << "to the last bit";
      if (result.total > 0.0) ++positive_count;
    }
    EXPECT_GT(positive_count, 20U) << "the documents and queries hardly meet";
  }
}

}  // namespace
}  // namespace weir::match
