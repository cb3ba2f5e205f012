// SPDX-License-Identifier: Apache-2.0
#include "match/text_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
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
  corpus.add(document, {});
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
  EXPECT_DOUBLE_EQ(corpus.idf("snow"), 1.3862943611198906) << "as if one document had it";
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
  added(corpus, {"rain", "storm"});
  const TermCounts document = added(corpus, {"rain", "snow"});
  EXPECT_EQ(corpus.term_count(), 2U);
  EXPECT_EQ(corpus.overflow_count(), 3U);
  EXPECT_DOUBLE_EQ(corpus.idf("storm"), std::log(3.0 / 2.0)) << "what is kept is still counted";
  EXPECT_DOUBLE_EQ(corpus.idf("rain"), std::log(3.0)) << "n_t = 1, though two documents have it";
  EXPECT_DOUBLE_EQ(score(Terms{"rain"}, document, corpus).total, std::log(3.0));
}

// The epochs of one corpus: how many documents there were when each began.
std::vector<std::uint64_t> epochs_of(TextCorpus& corpus, std::size_t document_count) {
  std::vector<std::uint64_t> begins;
  for (std::size_t i = 0; i < document_count; ++i) {
    added(corpus, {});
    if (corpus.epoch().number > begins.size()) begins.push_back(corpus.epoch().document_count);
  }
  return begins;
}

TEST(TextCorpusTest, TheFirst32DocumentsHaveAnEpochEachThenItGrowsByASixteenth) {
  TextCorpus corpus;
  const auto begins = epochs_of(corpus, 60);
  ASSERT_EQ(begins.size(), 44U);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(begins[i], i + 1);
  EXPECT_THAT(std::vector(begins.begin() + 32, begins.end()),
              ElementsAre(34, 36, 38, 40, 42, 44, 46, 48, 51, 54, 57, 60));
}

TEST(TextCorpusTest, AnEpochHasABoundedNumberOfDocuments) {
  TextCorpus corpus({.epoch_document_count_max = 2});
  const auto begins = epochs_of(corpus, 200);
  EXPECT_EQ(begins[begins.size() - 2] + 2, begins.back());
  TextCorpus always({.epoch_document_count_max = 0});
  EXPECT_EQ(epochs_of(always, 200).size(), 200U);
}

TEST(TextCorpusTest, AnEpochIsOverWhenItIsOlderThanItsTime) {
  const auto at = [](std::int64_t seconds) {
    return base::Instant{} + base::Duration::seconds(seconds);
  };
  TextCorpus corpus({.epoch_time = base::Duration::seconds(10)});
  for (int i = 0; i < 64; ++i) corpus.add({}, at(100));
  const TextEpoch before = corpus.epoch();
  EXPECT_EQ(before.document_count, 63U);
  EXPECT_EQ(before.begin, at(100));
  corpus.add({}, at(110));
  EXPECT_EQ(corpus.epoch(), before) << "as old as that, not older";
  corpus.add({}, at(90));
  EXPECT_EQ(corpus.epoch().number, before.number + 1) << "by its documents";
  corpus.add({}, at(101));
  EXPECT_EQ(corpus.epoch(), (TextEpoch{before.number + 2, 67, at(101)})) << "begun at 90";
}

TEST(TextCorpusTest, ScoresByWhatWasKnownWhenTheEpochBegan) {
  TextCorpus corpus;
  for (int i = 0; i < 63; ++i) added(corpus, {i < 8 ? "storm" : "calm"});
  ASSERT_EQ(corpus.epoch().document_count, 63U);
  const TermCounts document = added(corpus, {"storm", "new"});
  ASSERT_EQ(corpus.epoch().document_count, 63U);
  EXPECT_DOUBLE_EQ(corpus.idf("storm"), std::log(63.0 / 8.0));
  EXPECT_DOUBLE_EQ(corpus.idf("calm"), std::log(63.0 / 55.0));
  EXPECT_DOUBLE_EQ(corpus.idf("new"), std::log(63.0)) << "not seen when the epoch began";
  added(corpus, {"storm", "new"});
  added(corpus, {"new"});
  ASSERT_EQ(corpus.epoch().document_count, 66U);
  EXPECT_DOUBLE_EQ(corpus.idf("storm"), std::log(66.0 / 10.0));
  EXPECT_DOUBLE_EQ(corpus.idf("calm"), std::log(66.0 / 55.0));
  EXPECT_DOUBLE_EQ(corpus.idf("new"), std::log(66.0 / 3.0));
  EXPECT_DOUBLE_EQ(score(Terms{"new", "storm"}, document, corpus).total,
                   std::log(66.0 / 3.0) + std::log(66.0 / 10.0));
}

// The definition once more, from the documents themselves and without any running statistics.
double naive_score(const Terms& query, const Terms& document, std::span<const Terms> known) {
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
        known, [&](const Terms& terms) { return frequency(terms, *term) > 0.0; });
    if (frequency(document, *term) == 0.0) continue;
    total += frequency(document, *term) / frequency_max *
             std::log(static_cast<double>(known.size()) /
                      static_cast<double>(std::max(having, std::ptrdiff_t{1})));
  }
  return total;
}

// How many of the documents, given by their seconds, were there when the last epoch began.
std::size_t naive_epoch(const std::vector<std::int64_t>& seconds, std::size_t documents_max,
                        std::int64_t seconds_max) {
  std::size_t begin = 1;
  for (std::size_t count = 2; count <= seconds.size(); ++count) {
    const std::size_t growth = std::clamp<std::size_t>(begin / 16, 1, documents_max);
    const bool is_old = seconds[count - 1] - seconds[begin - 1] > seconds_max;
    if (count - begin >= growth || is_old) begin = count;
  }
  return begin;
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
  constexpr std::size_t kEpochDocuments = 7;
  constexpr std::int64_t kEpochSeconds = 12;
  const TextCorpusOptions options{.epoch_document_count_max = kEpochDocuments,
                                  .epoch_time = base::Duration::seconds(kEpochSeconds)};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Prng prng(seed);
    TextCorpus corpus(options);
    TextCorpus twin(options);
    std::vector<Terms> published;
    std::vector<std::int64_t> seconds;
    std::size_t positive_count = 0;
    std::size_t frozen_count = 0;
    for (int i = 0; i < 200; ++i) {
      published.push_back(random_terms(prng, 30));
      seconds.push_back((seconds.empty() ? 0 : seconds.back()) +
                        static_cast<std::int64_t>(prng.below(6)));
      const TermCounts document = count_terms(published.back());
      const base::Instant now = base::Instant{} + base::Duration::seconds(seconds.back());
      corpus.add(document, now);
      twin.add(document, now);
      const std::size_t known = naive_epoch(seconds, kEpochDocuments, kEpochSeconds);
      if (known < published.size()) ++frozen_count;
      const Terms query = random_terms(prng, 6);
      const TextScore result = score(query, document, corpus);
      ASSERT_DOUBLE_EQ(result.total,
                       naive_score(query, published.back(), std::span(published).first(known)));
      ASSERT_EQ(result, score(query, document, twin)) << "to the last bit";
      if (result.total > 0.0) ++positive_count;
    }
    EXPECT_GT(positive_count, 40U) << "the documents and queries hardly meet";
    EXPECT_GT(frozen_count, 40U) << "hardly an epoch has two documents";
  }
}

// Also where there is no room for all terms.
TEST(TextCorpusTest, AnExcerptCountsAndScoresItsTermsAsTheWholeCorpus) {
  for (const std::size_t term_count_max : {20U, 1000U}) {
    base::Prng prng(term_count_max);
    TextCorpus corpus({.term_count_max = term_count_max, .epoch_document_count_max = 7});
    for (int i = 0; i < 200; ++i) {
      const TermCounts other = count_terms(random_terms(prng, 30));
      const TermCounts document = count_terms(random_terms(prng, 30));
      TextCorpus excerpt = corpus.excerpt({&document, &other});
      ASSERT_LE(excerpt.term_count(), document.counts.size() + other.counts.size());
      excerpt.add(document, {});
      corpus.add(document, {});
      ASSERT_EQ(excerpt.epoch(), corpus.epoch());
      for (const TermCounts& counts : {document, other}) {
        for (const TermCount& counted : counts.counts) {
          ASSERT_EQ(excerpt.idf(counted.term), corpus.idf(counted.term)) << counted.term;
        }
      }
    }
    EXPECT_EQ(corpus.overflow_count() > 0, term_count_max == 20U);
  }
}

}  // namespace
}  // namespace weir::match
