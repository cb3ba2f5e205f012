// SPDX-License-Identifier: Apache-2.0
#include "match/text_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "match/text_analyzer.h"

namespace weir::match {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Mode = filter::About::Mode;
using enum TextFailure;

// What a query says of the last of five documents, the first four of which have none of its words.
TextMatchInfo judged(Mode mode, std::string_view words, const std::vector<std::string>& strings,
                     std::optional<double> score_min = {}) {
  TextAnalyzer analyzer = *TextAnalyzer::create({});
  const auto query = compile_text_query({{}, std::string(words), mode, score_min}, 1.0, analyzer);
  EXPECT_TRUE(query) << query.error().message;
  TextCorpus corpus;
  for (int i = 0; i < 4; ++i) corpus.add(count_terms({"calm"}), {});
  std::vector<std::string> terms;
  TextWords split;
  for (const std::string& text : strings) {
    analyzer.analyze(text, terms);
    analyzer.split(text, split.emplace_back());
  }
  const TermCounts document = count_terms(std::move(terms));
  corpus.add(document, {});
  return judge(*query, document, split, corpus);
}

TextFailure failure(Mode mode, std::string_view words, std::string text,
                    std::optional<double> score_min = {}) {
  const TextMatchInfo info = judged(mode, words, {std::move(text)}, score_min);
  EXPECT_EQ(info.verdict.holds, info.failure == kNone);
  return info.failure;
}

TEST(TextMatchTest, TheScoreDecidesUnlessAPhraseIsMissing) {
  EXPECT_EQ(failure(Mode::kScore, "storm flood", "a storm"), kNone) << "ln 5 = 1.61";
  EXPECT_EQ(failure(Mode::kScore, "storm flood", "a storm", 1.7), kLowScore);
  EXPECT_EQ(failure(Mode::kScore, "storm flood", "storm flood", 1.7), kNone);
  EXPECT_EQ(failure(Mode::kScore, "storm flood", "rain", 0.0), kNone);
  EXPECT_EQ(failure(Mode::kScore, "storm \"flash flood\"", "storm flood flash"), kMissingPhrase);
  EXPECT_EQ(failure(Mode::kScore, "storm \"flash flood\"", "the flash flood"), kNone);
}

TEST(TextMatchTest, AllNeedsEveryWordAndPhrase) {
  EXPECT_EQ(failure(Mode::kAll, "storm flood", "storms and floods"), kNone);
  EXPECT_EQ(failure(Mode::kAll, "storm flood", "storm"), kMissingTerm);
  EXPECT_EQ(failure(Mode::kAll, "storm \"flash flood\"", "storm"), kMissingPhrase);
  EXPECT_EQ(failure(Mode::kAll, "storm \"flash flood\"", "flash flood"), kMissingTerm);
  EXPECT_EQ(failure(Mode::kAll, "storm \"flash flood\"", "storm: flash flood"), kNone);
  EXPECT_EQ(failure(Mode::kAll, "storm", "storm rain rain", 0.9), kLowScore);
}

TEST(TextMatchTest, AnyNeedsOneWordOrPhrase) {
  EXPECT_EQ(failure(Mode::kAny, "storm flood", "flood"), kNone);
  EXPECT_EQ(failure(Mode::kAny, "storm flood", "rain"), kNoneOfThem);
  EXPECT_EQ(failure(Mode::kAny, "storm \"flash flood\"", "flood, flash"), kNoneOfThem);
  EXPECT_EQ(failure(Mode::kAny, "storm \"flash flood\"", "flash flood"), kNone);
  EXPECT_EQ(failure(Mode::kAny, "\"flash flood\" \"storm surge\"", "storm surge"), kNone);
  EXPECT_EQ(failure(Mode::kAny, "storm \"flash flood\"", "storm", 1.7), kLowScore);
  EXPECT_EQ(failure(Mode::kAny, "storm \"flash flood\"", "storm flood", 1.7), kNone)
      << "terms of phrases are scored wherever they stand";
}

TEST(TextMatchTest, WhatIsExcludedIsRefusedInEveryMode) {
  for (const Mode mode : {Mode::kScore, Mode::kAll, Mode::kAny}) {
    EXPECT_EQ(failure(mode, "storm -sport", "storm of sports"), kExcludedTerm);
    EXPECT_EQ(failure(mode, "storm -\"stock market\"", "storm: stock market"), kExcludedPhrase);
    EXPECT_EQ(failure(mode, "storm -\"stock market\"", "storm: stock markets"), kNone);
    EXPECT_EQ(failure(mode, "storm -stock-market", "storm at the market"), kNone);
    EXPECT_EQ(failure(mode, "storm -stock-market", "stock market storm"), kExcludedPhrase);
  }
}

TEST(TextMatchTest, APhraseHasItsStopWordsAndIsNotStemmed) {
  EXPECT_EQ(failure(Mode::kAll, "\"to be or not\"", "To be, or not to be"), kNone);
  EXPECT_EQ(failure(Mode::kAll, "\"to be or not\"", "to be not or"), kMissingPhrase);
  EXPECT_EQ(failure(Mode::kAll, "\"floods\"", "flood"), kMissingPhrase);
  EXPECT_EQ(failure(Mode::kAll, "\"a a b\"", "a a a b"), kNone);
}

TEST(TextMatchTest, APhraseDoesNotReachIntoTheNextString) {
  EXPECT_FALSE(judged(Mode::kAll, "\"flash flood\"", {"flash", "flood"}).verdict.holds);
  EXPECT_TRUE(judged(Mode::kAll, "\"flash flood\"", {"flash", "flash flood"}).verdict.holds);
}

TEST(TextMatchTest, TellsScoreSharesEpochAndWhatFailed) {
  const TextMatchInfo info =
      judged(Mode::kAll, "storm rescue \"flash flood\"", {"storm, storm: a flash flood"}, 2.0);
  EXPECT_EQ(info.failure, kMissingTerm);
  EXPECT_EQ(info.failed, "rescu");
  EXPECT_EQ(info.score_min, 2.0);
  EXPECT_DOUBLE_EQ(info.verdict.score, 2 * std::log(5.0));
  EXPECT_EQ(info.verdict.epoch, 5U);
  EXPECT_THAT(info.shares, ElementsAre(Pair("storm", testing::DoubleEq(std::log(5.0))),
                                       Pair("flash", testing::DoubleEq(std::log(5.0) / 2)),
                                       Pair("flood", testing::DoubleEq(std::log(5.0) / 2))));
  EXPECT_EQ(judged(Mode::kAll, "\"Flash  FLOOD\"", {"x"}).failed, "flash flood");
}

}  // namespace
}  // namespace weir::match
