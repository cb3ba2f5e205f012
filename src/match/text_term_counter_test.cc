// SPDX-License-Identifier: Apache-2.0
#include "match/text_term_counter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

TermCounts by_definition(const std::vector<std::string>& texts, TextAnalyzer& analyzer) {
  std::vector<std::string> terms;
  for (const std::string& text : texts) analyzer.analyze(text, terms);
  return count_terms(std::move(terms));
}

TEST(TextTermCounterTest, CountsWhatTheDefinitionCounts) {
  base::Prng prng(3);
  TextAnalyzer english = TextAnalyzer::create({}).value();
  TextAnalyzer none = TextAnalyzer::create({.language = "none"}).value();
  TextTermCounter counter;
  for (int i = 0; i < 300; ++i) {
    TextAnalyzer& analyzer = prng.chance(0.5) ? english : none;
    std::vector<std::string> texts(prng.below(4));
    for (std::string& text : texts) {
      for (std::uint64_t j = prng.below(60); j > 0; --j) {
        text += fmt::format("{}{} ", prng.chance(0.5) ? "Storm" : "the", prng.below(9));
        if (prng.chance(0.3)) text += prng.chance(0.5) ? "storms STORM " : "und the of ";
      }
      counter.count(text, analyzer);
    }
    ASSERT_EQ(counter.take(), by_definition(texts, analyzer)) << i;
  }
}

// The analyzer's table of words is emptied in between, and ids begin anew.
TEST(TextTermCounterTest, CountsMoreWordsThanTheAnalyzerRemembers) {
  TextAnalyzer analyzer = TextAnalyzer::create({.language = "none"}).value();
  std::string text;
  for (int i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < TextWordTable::kWordsMax; ++j) text += fmt::format("w{} ", j);
  }
  text += "w7 w7 other";
  const std::uint64_t before = analyzer.generation();
  TextTermCounter counter;
  counter.count(text, analyzer);
  EXPECT_GT(analyzer.generation(), before);
  // However often the table was emptied.
  EXPECT_EQ(counter.term_count(), TextWordTable::kWordsMax + 1);
  const TermCounts counts = counter.take();
  EXPECT_EQ(counts.frequency("w7"), 5U);
  EXPECT_EQ(counts, by_definition({text}, analyzer));
}

TEST(TextTermCounterTest, WhatIsDroppedIsNotCounted) {
  TextAnalyzer analyzer = TextAnalyzer::create({}).value();
  TextTermCounter counter;
  counter.count("storm flood", analyzer);
  counter.drop();
  counter.count("storm", analyzer);
  EXPECT_EQ(counter.take(), count_terms({"storm"}));
  EXPECT_EQ(counter.take(), TermCounts());
}

TEST(TextTermCounterTest, StopsSoonAfterTooManyTerms) {
  TextAnalyzer analyzer = TextAnalyzer::create({.language = "none"}).value();
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("w{} ", i);
  TextTermCounter counter;
  counter.count(text, analyzer, 100);
  EXPECT_GT(counter.term_count(), 100U);
  EXPECT_LT(counter.term_count(), 2'000U);
}

TEST(TextTermCounterTest, MergesDocuments) {
  const TermCounts left = count_terms({"a", "b", "b"});
  const TermCounts right = count_terms({"b", "c"});
  EXPECT_EQ(merge_terms({&left, &right}), count_terms({"a", "b", "b", "b", "c"}));
  EXPECT_EQ(merge_terms({&left}), left);
  EXPECT_EQ(merge_terms({}), TermCounts());
}

}  // namespace
}  // namespace weir::match
