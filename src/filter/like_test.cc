// SPDX-License-Identifier: Apache-2.0
#include "filter/like.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "base/utf8.h"

namespace weir::filter {
namespace {

bool like(std::string_view text, std::string_view pattern) {
  return LikePattern::compile(pattern).matches(text);
}

std::vector<std::uint32_t> code_points_of(std::string_view text) {
  std::vector<std::uint32_t> out;
  while (!text.empty()) {
    const base::CodePoint next = base::decode_utf8(text);
    out.push_back(next.value);
    text.remove_prefix(next.length_bytes);
  }
  return out;
}

// The definition, by dynamic programming over code points: cell [i] of row j tells whether the
// first j elements of the pattern match the first i characters of the text.
bool matches_by_definition(std::string_view text, std::string_view pattern) {
  const std::vector<std::uint32_t> characters = code_points_of(text);
  const std::vector<std::uint32_t> elements = code_points_of(pattern);
  std::vector<bool> row(characters.size() + 1);
  row[0] = true;
  for (std::size_t j = 0; j < elements.size(); ++j) {
    std::vector<bool> next(row.size());
    const bool escapes = elements[j] == '\\' && j + 1 < elements.size() &&
                         (elements[j + 1] == '%' || elements[j + 1] == '_');
    if (escapes) ++j;
    if (!escapes && elements[j] == '%') {
      bool reached = false;
      for (std::size_t i = 0; i < row.size(); ++i) next[i] = reached = reached || row[i];
    } else {
      for (std::size_t i = 1; i < row.size(); ++i) {
        const bool any = !escapes && elements[j] == '_';
        next[i] = row[i - 1] && (any || elements[j] == characters[i - 1]);
      }
    }
    row = next;
  }
  return row.back();
}

// All texts of up to `length_max` letters of the alphabet.
std::vector<std::string> texts_over(const std::vector<std::string>& alphabet,
                                    std::size_t length_max) {
  std::vector<std::string> texts = {""};
  std::size_t begin = 0;
  for (std::size_t length = 1; length <= length_max; ++length) {
    const std::size_t end = texts.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (const std::string& letter : alphabet) texts.push_back(texts[i] + letter);
    }
    begin = end;
  }
  return texts;
}

std::string repeat(std::string_view piece, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += piece;
  return out;
}

TEST(LikeTest, MatchesTheWholeText) {
  EXPECT_TRUE(like("storm", "storm"));
  EXPECT_FALSE(like("storms", "storm"));
  EXPECT_FALSE(like("a storm", "storm"));
  EXPECT_FALSE(like("Storm", "storm"));
  EXPECT_TRUE(like("", ""));
  EXPECT_FALSE(like("x", ""));
  EXPECT_TRUE(LikePattern().matches(""));
}

TEST(LikeTest, PercentIsAnyRun) {
  EXPECT_TRUE(like("", "%"));
  EXPECT_TRUE(like("anything", "%%"));
  EXPECT_TRUE(like("storm", "st%rm"));
  EXPECT_TRUE(like("strm", "st%rm"));
  EXPECT_FALSE(like("stm", "st%rm"));
  EXPECT_FALSE(like("aba", "ab%ba"));  // the two ends may not overlap
  EXPECT_TRUE(like("abba", "ab%ba"));
}

TEST(LikeTest, UnderscoreIsOneCodePoint) {
  EXPECT_TRUE(like("höhe", "h_he"));
  EXPECT_FALSE(like("höhe", "h__he"));
  EXPECT_TRUE(like("€", "_"));
  EXPECT_TRUE(like("a🌊b", "a_b"));
  EXPECT_FALSE(like("", "_"));
  EXPECT_TRUE(like("x🌊€y", "%_€%"));
  EXPECT_TRUE(like("ab", "%_b"));
  EXPECT_FALSE(like("b", "%_b"));
}

TEST(LikeTest, BackslashEscapesOnlyTheWildcards) {
  EXPECT_TRUE(like("100%", "100\\%"));
  EXPECT_FALSE(like("1000", "100\\%"));
  EXPECT_TRUE(like("a_b", "a\\_b"));
  EXPECT_FALSE(like("axb", "a\\_b"));
  EXPECT_TRUE(like("a\\b", "a\\b"));
  EXPECT_TRUE(like("a\\", "a\\"));
  EXPECT_TRUE(like("a\\%", "a\\\\%"));
  EXPECT_FALSE(like("a\\x", "a\\\\%"));
}

TEST(LikeTest, TellsWhatIsFixed) {
  struct Fixed {
    std::string_view pattern;
    std::string_view start;
    std::string_view end;
    bool is_all = false;
  };
  const Fixed kFixed[] = {{"", "", "", true},   {"ab", "ab", "ab", true}, {"ab%", "ab", ""},
                          {"%ab", "", "ab"},    {"a%b_c", "a", "c"},      {"_b", "", "b"},
                          {"%", "", ""},        {"a\\%b", "a", ""},       {"a\\b", "a", ""},
                          {"潮%位", "潮", "位"}};
  for (const Fixed& fixed : kFixed) {
    const LikePattern pattern = LikePattern::compile(fixed.pattern);
    EXPECT_EQ(pattern.fixed_start(), fixed.start) << fixed.pattern;
    EXPECT_EQ(pattern.fixed_end(), fixed.end) << fixed.pattern;
    EXPECT_EQ(pattern.is_fixed(), fixed.is_all) << fixed.pattern;
  }
}

TEST(LikeTest, EqualsByThePatternAsWritten) {
  EXPECT_EQ(LikePattern::compile("a%"), LikePattern::compile("a%"));
  EXPECT_FALSE(LikePattern::compile("a%") == LikePattern::compile("a%%"));
  EXPECT_EQ(LikePattern::compile("a\\%").text(), "a\\%");
}

TEST(LikeTest, AgreesWithTheDefinitionOnAllSmallInputs) {
  const std::vector<std::string> patterns = texts_over({"a", "é", "%", "_", "\\"}, 4);
  const std::vector<std::string> texts = texts_over({"a", "é", "%", "\\"}, 4);
  for (const std::string& pattern : patterns) {
    const LikePattern compiled = LikePattern::compile(pattern);
    for (const std::string& text : texts) {
      ASSERT_EQ(compiled.matches(text), matches_by_definition(text, pattern))
          << '\'' << text << "' like '" << pattern << '\'';
    }
  }
}

TEST(LikeTest, AgreesWithTheDefinitionOnRepetitiveTexts) {
  const std::vector<std::string> patterns = texts_over({"a", "b", "%", "_"}, 6);
  const std::vector<std::string> texts = texts_over({"a", "b"}, 7);
  for (std::size_t i = 0; i < patterns.size(); i += 3) {
    const LikePattern compiled = LikePattern::compile(patterns[i]);
    for (const std::string& text : texts) {
      ASSERT_EQ(compiled.matches(text), matches_by_definition(text, patterns[i]))
          << '\'' << text << "' like '" << patterns[i] << '\'';
    }
  }
}

TEST(LikeTest, AgreesWithTheDefinitionOnPiecesLongerThanAWord) {
  const std::vector<std::string> letters = {"a", "b", "é", "🌊"};
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Prng prng(seed);
    std::string pattern;
    std::string text;
    const std::size_t length = 60 + prng.below(200);
    for (std::size_t i = 0; i < length; ++i) {
      const std::string& letter = letters[prng.below(letters.size())];
      if (prng.chance(0.02)) text += letters[prng.below(letters.size())];
      if (!prng.chance(0.002)) text += letter;
      if (prng.chance(0.01)) pattern += "%";
      pattern += prng.chance(0.3) ? "_" : letter;
    }
    if (prng.chance(0.7)) pattern.insert(0, "%").append("%");
    ASSERT_EQ(like(text, pattern), matches_by_definition(text, pattern)) << pattern << '\n' << text;
  }
}

TEST(LikeTest, FindsAPieceOfManyWordsAnywhere) {
  const std::string piece = repeat("ab_", 500);  // 1 500 characters
  const std::string hit = repeat("abé", 500);
  EXPECT_TRUE(like(repeat("ab", 700) + hit + "tail", "%" + piece + "%"));
  EXPECT_FALSE(like(repeat("ab", 700) + hit.substr(0, hit.size() - 2), "%" + piece + "%"));
}

// Backtracking would take longer than anybody waits for each of these.
TEST(LikeTest, TakesLinearTimeWhateverThePattern) {
  const std::string text = repeat("a", 1U << 20U);
  EXPECT_FALSE(like(text, "%a%a%a%_a%b"));
  EXPECT_FALSE(like(text, repeat("%a", 500) + "b%"));
  EXPECT_FALSE(like(text, repeat("%_a", 300) + "b%"));
  EXPECT_FALSE(like(text, "%" + repeat("a", 1000) + "b%"));
  EXPECT_FALSE(like(text, "%" + repeat("a_", 500) + "b%"));
  EXPECT_TRUE(like(text + "b", "%a%a%a%_a%b"));
}

TEST(LikeTest, SurvivesBytesThatAreNoUtf8) {
  const std::string broken = "\xC3\x28\xFF\x80";  // four characters of one byte
  EXPECT_TRUE(like(broken, "%"));
  EXPECT_TRUE(like(broken, "____"));
  EXPECT_FALSE(like(broken, "_____"));
  EXPECT_TRUE(like(broken, "%\xFF%"));
  EXPECT_TRUE(like(broken, "%_\xFF_%"));
  EXPECT_TRUE(like(broken, broken));
}

}  // namespace
}  // namespace weir::filter
