// SPDX-License-Identifier: Apache-2.0
#include "match/text_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace weir::match {
namespace {

using ::testing::ElementsAre;

TextAnalyzer make(const TextAnalysis& options = {}) {
  base::Result<TextAnalyzer> analyzer = TextAnalyzer::create(options);
  EXPECT_TRUE(analyzer) << analyzer.error().message;
  return *std::move(analyzer);
}

base::Error refusal(std::string_view text, TextAnalyzer analyzer = make()) {
  const base::Result<TextQuery> query = compile_text_query(text, 1.0, analyzer);
  EXPECT_FALSE(query);
  return query ? base::Error{base::ErrorId::kCliUsage, "", {}} : query.error();
}

TEST(TextQueryTest, HasTheTermsOfItsTextAndItsThreshold) {
  TextAnalyzer analyzer = make();
  const base::Result<TextQuery> query = compile_text_query("storm flood RESCUES", 1.2, analyzer);
  ASSERT_TRUE(query);
  EXPECT_THAT(query->terms, ElementsAre("storm", "flood", "rescu"));
  EXPECT_EQ(query->score_min, 1.2);
}

TEST(TextQueryTest, HasEachTermOnceInTheOrderOfTheText) {
  TextAnalyzer analyzer = make();
  const base::Result<TextQuery> query =
      compile_text_query("the storm, a flood, storms and FLOODING rain", 1.0, analyzer);
  ASSERT_TRUE(query);
  EXPECT_THAT(query->terms, ElementsAre("storm", "flood", "rain"));
}

TEST(TextQueryTest, MatchesFromTheThresholdOn) {
  const TextQuery query{{"storm"}, 1.5};
  EXPECT_TRUE(query.matches({1.5, {}}));
  EXPECT_TRUE(query.matches({2.0, {}}));
  EXPECT_FALSE(query.matches({1.4999999999999998, {}}));
}

TEST(TextQueryTest, IsRefusedWithTheWordsThatWereDropped) {
  EXPECT_EQ(refusal("the of The").id, base::ErrorId::kFilterNoTerms);
  EXPECT_EQ(refusal("the of The").message,
            "no word is left to look for: 'the', 'of' are stop words of english");
  EXPECT_EQ(refusal("Und?", make({.language = "german"})).message,
            "no word is left to look for: 'und' is a stop word of german");
}

TEST(TextQueryTest, NamesTheFirstOfManyDroppedWords) {
  EXPECT_EQ(refusal("a an the of in on at by to from").message,
            "no word is left to look for: 'a', 'an', 'the', 'of', 'in', 'on', 'at', 'by' and 2 "
            "more are stop words of english");
}

TEST(TextQueryTest, IsRefusedWithoutAnyWord) {
  for (const std::string_view text : {"", "  ", "?!", "😀"}) {
    EXPECT_EQ(refusal(text).id, base::ErrorId::kFilterNoTerms);
    EXPECT_EQ(refusal(text).message, "there is no word to look for, expected at least one");
  }
}

// From texts to the score: analysed, counted, weighed.
TEST(TextQueryTest, MeetsDocumentsThroughTheSameAnalysis) {
  TextAnalyzer analyzer = make();
  TextCorpus corpus;
  const auto publish = [&](std::string_view text) {
    std::vector<std::string> terms;
    analyzer.analyze(text, terms);
    TermCounts document = count_terms(std::move(terms));
    corpus.add(document);
    return document;
  };
  publish("The markets are closed");
  publish("Rain in the north");
  const TermCounts document = publish("Storms! A storm has flooded the coast.");
  const base::Result<TextQuery> query = compile_text_query("storm floods", 1.6, analyzer);
  ASSERT_TRUE(query);
  // storm twice, flood and coast once: 2/2 * ln 3 + 1/2 * ln 3 = 1.6479.
  const TextScore result = score(query->terms, document, corpus);
  EXPECT_NEAR(result.total, 1.6479, 0.00005);
  EXPECT_TRUE(query->matches(result));
}

}  // namespace
}  // namespace weir::match
