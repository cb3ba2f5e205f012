// SPDX-License-Identifier: Apache-2.0
#include "match/text_query.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "filter/limits.h"
#include "match/text_corpus.h"

namespace weir::match {
namespace {

using ::testing::ElementsAre;
using Mode = filter::About::Mode;

TextAnalyzer make(const TextAnalysis& options = {}) {
  base::Result<TextAnalyzer> analyzer = TextAnalyzer::create(options);
  EXPECT_TRUE(analyzer) << analyzer.error().message;
  return *std::move(analyzer);
}

base::Result<TextQuery> compile(std::string_view words, TextAnalyzer analyzer = make(),
                                Mode mode = Mode::kScore, std::optional<double> score_min = {}) {
  return compile_text_query({{}, std::string(words), mode, score_min}, 1.0, analyzer);
}

base::Error refusal(std::string_view text, TextAnalyzer analyzer = make()) {
  const base::Result<TextQuery> query = compile(text, std::move(analyzer));
  EXPECT_FALSE(query);
  return query ? base::Error{base::ErrorId::kCliUsage, "", {}} : query.error();
}

TEST(TextQueryTest, HasTheTermsOfItsTextAndItsThreshold) {
  const auto query = compile("storm flood RESCUES", make(), Mode::kScore, 1.2);
  ASSERT_TRUE(query);
  EXPECT_EQ(
      *query,
      (TextQuery{.terms = {"storm", "flood", "rescu"}, .plain_term_count = 3, .score_min = 1.2}));
}

TEST(TextQueryTest, HasEachTermOnceInTheOrderOfTheText) {
  const auto query = compile("the storm, a flood, storms and FLOODING rain");
  ASSERT_TRUE(query);
  EXPECT_THAT(query->terms, ElementsAre("storm", "flood", "rain"));
}

TEST(TextQueryTest, OnlyTheScoreHasADefault) {
  EXPECT_EQ(compile("storm")->score_min, 1.0);
  EXPECT_EQ(compile("storm", make(), Mode::kAll)->score_min, std::nullopt);
  EXPECT_EQ(compile("storm", make(), Mode::kAny)->score_min, std::nullopt);
  EXPECT_EQ(compile("storm", make(), Mode::kAny, 0.5)->score_min, 0.5);
}

TEST(TextQueryTest, TermsOfPhrasesComeAfterThoseOfWords) {
  const auto query = compile("\"the Flooded storm's coast\" rains coast -SPORTS -\"The Market\"");
  ASSERT_TRUE(query);
  EXPECT_EQ(*query, (TextQuery{.terms = {"rain", "coast", "flood", "storm"},
                               .plain_term_count = 2,
                               .phrases = {{"the", "flooded", "storm's", "coast"}},
                               .excluded_terms = {"sport"},
                               .excluded_phrases = {{"the", "market"}},
                               .score_min = 1.0}));
}

TEST(TextQueryTest, SeveralWordsExcludedAsOneAreAPhrase) {
  const auto query = compile("mail -e-mails -well_known");
  ASSERT_TRUE(query);
  EXPECT_THAT(query->excluded_phrases, ElementsAre(TextPhrase{"e", "mails"}));
  EXPECT_THAT(query->excluded_terms, ElementsAre("well_known"));
}

TEST(TextQueryTest, APhraseOfStopWordsNeedsNoScore) {
  const auto all = compile("\"to be or not to be\"", make(), Mode::kAll);
  ASSERT_TRUE(all);
  EXPECT_THAT(all->terms, testing::IsEmpty());
  EXPECT_EQ(all->phrases[0].size(), 6U);
  EXPECT_TRUE(compile("\"to be\"", make(), Mode::kScore, 0.0));
  EXPECT_TRUE(compile("\"to be\" storm"));
  EXPECT_EQ(refusal("\"to be\"").id, base::ErrorId::kFilterNoTerms);
  EXPECT_EQ(refusal("\"to be\"").message,
            "no word is left to be scored: 'to', 'be' are stop words of english: a phrase of stop "
            "words is looked for by about all, without a score");
}

TEST(TextQueryTest, RefusesToExcludeNothing) {
  EXPECT_EQ(refusal("storm -the").message,
            "no word is left to exclude: 'the' is a stop word of english");
  EXPECT_EQ(refusal("storm -?!").message, "there is no word to exclude, expected at least one");
  EXPECT_EQ(refusal("storm -\"?!\"").message, "there is no word to exclude, expected at least one");
  EXPECT_EQ(refusal("storm \"?!\"").message,
            "there is no word to look for in a phrase, expected at least one");
}

TEST(TextQueryTest, BoundsTheTerms) {
  std::string words = "-x0";
  for (std::size_t i = 1; i < filter::kQueryTermCountMax; ++i) words += fmt::format(" x{}", i);
  EXPECT_TRUE(compile(words));
  EXPECT_TRUE(compile(words + " x1"));
  EXPECT_EQ(refusal(words + " y").id, base::ErrorId::kFilterListTooLong);
  EXPECT_EQ(refusal(words + " \"y\"").message,
            "there are 1025 different words after about, the limit is 1024");
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
    corpus.add(document, {});
    return document;
  };
  publish("The markets are closed");
  publish("Rain in the north");
  const TermCounts document = publish("Storms! A storm has flooded the coast.");
  const base::Result<TextQuery> query = compile("storm floods");
  ASSERT_TRUE(query);
  // storm twice, flood and coast once: 2/2 * ln 3 + 1/2 * ln 3 = 1.6479.
  const TextScore result = score(query->terms, document, corpus);
  EXPECT_NEAR(result.total, 1.6479, 0.00005);
}

}  // namespace
}  // namespace weir::match
