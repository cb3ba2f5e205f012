// SPDX-License-Identifier: Apache-2.0
#include "match/text_distance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

TermCounts document(std::vector<std::string> terms) { return count_terms(std::move(terms)); }

TEST(TextDistanceTest, TheSameIsAtZeroAndWhatHasNothingInCommonAtOne) {
  TextCorpus corpus;
  const TermCounts storm = document({"storm", "coast", "coast"});
  const TermCounts market = document({"market"});
  const TermCounts none = document({});
  for (const TermCounts& one : {storm, market, none}) corpus.add(one, {});
  EXPECT_EQ(text_distance(storm, storm, corpus), 0);
  EXPECT_EQ(text_distance(storm, market, corpus), 1);
  EXPECT_EQ(text_distance(none, market, corpus), 1);
  EXPECT_EQ(text_distance(none, none, corpus), 0);
  EXPECT_EQ(text_distance(market, document({"market", "market"}), corpus), 0) << "by frequency";
}

TEST(TextDistanceTest, WordsThatEveryDocumentHasWeighNothing) {
  TextCorpus corpus;
  const TermCounts first = document({"news", "storm"});
  const TermCounts second = document({"news", "market"});
  EXPECT_EQ(text_distance(first, second, corpus), 0) << "nothing is known of any word";
  corpus.add(first, {});
  corpus.add(second, {});
  EXPECT_EQ(text_distance(first, second, corpus), 1) << "news is in both, and in all";
  EXPECT_EQ(text_distance(first, document({"news"}), corpus), 1);
}

// storm is in 2 of 4 documents, flood and calm in 1: by hand.
TEST(TextDistanceTest, IsTheCosineOfTheWeights) {
  TextCorpus corpus;
  const TermCounts left = document({"storm", "flood", "flood"});
  const TermCounts right = document({"storm", "calm"});
  for (const TermCounts& one : {left, right, document({"x"}), document({"y"})}) corpus.add(one, {});
  const double storm_left = 0.5 * std::log(2.0);
  const double flood = std::log(4.0);
  const double storm_right = std::log(2.0);
  const double calm = std::log(4.0);
  const double cosine =
      storm_left * storm_right / std::hypot(storm_left, flood) / std::hypot(storm_right, calm);
  EXPECT_NEAR(text_distance(left, right, corpus), 1 - cosine, 1e-12);
  EXPECT_EQ(text_distance(left, right, corpus), text_distance(right, left, corpus));
}

// Against vectors over all words.
TEST(TextDistanceTest, RandomDocumentsAgreeWithTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    TextCorpus corpus;
    std::vector<TermCounts> documents;
    for (int i = 0; i < 6; ++i) {
      std::vector<std::string> terms;
      while (prng.chance(0.8)) terms.push_back(fmt::format("w{}", prng.below(8)));
      documents.push_back(document(std::move(terms)));
      corpus.add(documents.back(), {});
    }
    const auto weight = [&](const TermCounts& one, int word) {
      const std::string term = fmt::format("w{}", word);
      double having = 0;
      for (const TermCounts& each : documents) having += each.frequency(term) > 0 ? 1 : 0;
      if (one.frequency(term) == 0) return 0.0;
      return static_cast<double>(one.frequency(term)) / static_cast<double>(one.frequency_max) *
             std::log(6 / having);
    };
    for (const TermCounts& left : documents) {
      for (const TermCounts& right : documents) {
        double common = 0;
        double left_square = 0;
        double right_square = 0;
        for (int word = 0; word < 8; ++word) {
          common += weight(left, word) * weight(right, word);
          left_square += weight(left, word) * weight(left, word);
          right_square += weight(right, word) * weight(right, word);
        }
        const bool same_nothing = left_square == 0 && right_square == 0;
        const double expected = same_nothing ? 0
                                : common == 0
                                    ? 1
                                    : 1 - common / std::sqrt(left_square) / std::sqrt(right_square);
        EXPECT_NEAR(text_distance(left, right, corpus), expected, 1e-9);
        EXPECT_GE(text_distance(left, right, corpus), 0);
        EXPECT_LE(text_distance(left, right, corpus), 1);
      }
    }
  }
}

TEST(TextDistanceTest, KeepsTheMostFrequentTermsInOrder) {
  const TermCounts all = document({"a", "b", "b", "c", "d", "d", "d", "e"});
  const TermCounts two = bounded(all, 2);
  EXPECT_EQ(two.counts, (std::vector<TermCount>{{"b", 2}, {"d", 3}}));
  EXPECT_EQ(two.frequency_max, 3U);
  EXPECT_EQ(bounded(all, 3).counts, (std::vector<TermCount>{{"a", 1}, {"b", 2}, {"d", 3}}));
  EXPECT_EQ(bounded(all, 5), all);
}

}  // namespace
}  // namespace weir::match
