// SPDX-License-Identifier: Apache-2.0
#include "filter/text_words.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/prng.h"
#include "filter/limits.h"

namespace weir::filter {
namespace {

// Each part as it could be written, in brackets.
std::string split(std::string_view words) {
  const auto parts = split_words(words);
  if (!parts) {
    return fmt::format("{}: {}", parts.error().position->offset_bytes, parts.error().message);
  }
  std::string out;
  for (const TextPart& part : *parts) {
    const std::string_view quote = part.phrase ? "\"" : "";
    out += fmt::format("[{}{}{}{}]", part.excluded ? "-" : "", quote, part.text, quote);
  }
  return out;
}

TEST(TextWordsTest, TakesWordsPhrasesAndExclusionsApart) {
  EXPECT_EQ(split("storm \"flash flood\" -sport -\"stock market\""),
            "[storm][\"flash flood\"][-sport][-\"stock market\"]");
  EXPECT_EQ(split(""), "");
  EXPECT_EQ(split(" \t\r\n"), "");
  EXPECT_EQ(split("\na\tb\rc "), "[a][b][c]");
}

TEST(TextWordsTest, MinusAndQuotesAreSpecialOnlyWhereAWordBegins) {
  EXPECT_EQ(split("well-known 6\" a\"b\""), "[well-known][6\"][a\"b\"]");
  EXPECT_EQ(split("a -b-c --d"), "[a][-b-c][--d]");
  EXPECT_EQ(split("\"-a -b\""), "[\"-a -b\"]");
  EXPECT_EQ(split("\u3000-a"), "[\u3000-a]") << "only blanks of ASCII part words";
}

TEST(TextWordsTest, TellsWhereWhatIsWrong) {
  EXPECT_EQ(split("a \"b"), "2: this phrase has no closing \"");
  EXPECT_EQ(split("a -\""), "3: this phrase has no closing \"");
  EXPECT_EQ(split("a -"), "2: expected a word or a phrase right after '-', which excludes it");
  EXPECT_EQ(split("a \"\" b"), "2: expected words in the phrase, found none");
  EXPECT_EQ(split("\"a\"\"b\""), "3: expected a blank after the phrase");
  EXPECT_EQ(split("  -a"), "0: expected a word to look for, found only what is excluded");
}

TEST(TextWordsTest, BoundsThePhrases) {
  std::string words;
  for (std::size_t i = 0; i < kPhraseCountMax; ++i) words += "\"a b\" ";
  EXPECT_EQ(split_words(words)->size(), kPhraseCountMax);
  const auto beyond = split_words(words + "-\"c\"");
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().id, base::ErrorId::kFilterListTooLong);
  EXPECT_EQ(beyond.error().message, "there are at most 64 phrases");
}

// Parts that are written down again, a blank after each, are the same parts.
TEST(TextWordsTest, PartsReadBack) {
  constexpr std::uint64_t kSeed = 11;
  constexpr std::string_view kCharacters = "ab-\" \"-";
  base::Prng prng(kSeed);
  std::size_t valid_count = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string words;
    while (prng.chance(0.9)) words += kCharacters[prng.below(kCharacters.size())];
    const auto parts = split_words(words);
    if (!parts) continue;
    ++valid_count;
    std::string written;
    for (const TextPart& part : *parts) {
      const std::string_view quote = part.phrase ? "\"" : "";
      written += fmt::format("{}{}{}{} ", part.excluded ? "-" : "", quote, part.text, quote);
    }
    ASSERT_EQ(split(written), split(words)) << "seed " << kSeed << ": " << words;
  }
  EXPECT_GE(valid_count, 1'000U);
}

}  // namespace
}  // namespace weir::filter
