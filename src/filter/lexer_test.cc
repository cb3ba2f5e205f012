// SPDX-License-Identifier: Apache-2.0
#include "filter/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "filter/keywords.h"

namespace weir::filter {
namespace {

using testing::ElementsAre;

std::vector<Token> tokens_of(std::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  for (Token token = lexer.take(); token.kind != TokenKind::kEnd; token = lexer.take()) {
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<std::string> texts_of(std::string_view text) {
  std::vector<std::string> texts;
  for (const Token& token : tokens_of(text)) texts.emplace_back(token.text);
  return texts;
}

TokenKind kind_of(std::string_view text) { return Lexer(text).peek().kind; }

TEST(LexerTest, PartsAFilterIntoItsTokens) {
  EXPECT_THAT(texts_of("type='a' and (data.price>=-1.5e3 or x not in (1,2))"),
              ElementsAre("type", "=", "'a'", "and", "(", "data", ".", "price", ">=", "-1.5e3",
                          "or", "x", "not", "in", "(", "1", ",", "2", ")", ")"));
}

TEST(LexerTest, TellsTheKindsApart) {
  EXPECT_EQ(kind_of(""), TokenKind::kEnd);
  EXPECT_EQ(kind_of(" \t\r\n"), TokenKind::kEnd);
  EXPECT_EQ(kind_of("_a9"), TokenKind::kWord);
  EXPECT_EQ(kind_of("\"in\""), TokenKind::kQuoted);
  EXPECT_EQ(kind_of("7"), TokenKind::kNumber);
  EXPECT_EQ(kind_of("-7"), TokenKind::kNumber);
  EXPECT_EQ(kind_of("-"), TokenKind::kSymbol);
  EXPECT_EQ(kind_of("'x'"), TokenKind::kString);
  EXPECT_EQ(kind_of("<="), TokenKind::kSymbol);
  EXPECT_EQ(kind_of("?"), TokenKind::kSymbol);
}

TEST(LexerTest, ReadsTheLongestNumber) {
  EXPECT_THAT(texts_of("1.25"), ElementsAre("1.25"));
  EXPECT_THAT(texts_of("1."), ElementsAre("1", "."));
  EXPECT_THAT(texts_of("1.2.3"), ElementsAre("1.2", ".", "3"));
  EXPECT_THAT(texts_of("1e5"), ElementsAre("1e5"));
  EXPECT_THAT(texts_of("1E+05"), ElementsAre("1E+05"));
  EXPECT_THAT(texts_of("1e-5x"), ElementsAre("1e-5", "x"));
  EXPECT_THAT(texts_of("1e"), ElementsAre("1", "e"));
  EXPECT_THAT(texts_of("1e+"), ElementsAre("1", "e", "+"));
  EXPECT_THAT(texts_of("2%"), ElementsAre("2", "%"));
  EXPECT_THAT(texts_of("5-3"), ElementsAre("5", "-3"));
  EXPECT_THAT(texts_of("--3"), ElementsAre("-", "-3"));
}

TEST(LexerTest, TakesPairsOfSymbolsTogether) {
  EXPECT_THAT(texts_of("= != <> < <= > >= =="),
              ElementsAre("=", "!=", "<>", "<", "<=", ">", ">=", "=="));
  EXPECT_THAT(texts_of("<=>"), ElementsAre("<=", ">"));
  EXPECT_THAT(texts_of("!!="), ElementsAre("!", "!="));
}

TEST(LexerTest, MakesOneTokenOfACharacterItDoesNotKnow) {
  EXPECT_THAT(texts_of("ü名😀"), ElementsAre("ü", "名", "😀"));
  EXPECT_THAT(texts_of("aüb"), ElementsAre("a", "ü", "b"));
  EXPECT_THAT(texts_of("\xff\xfe"), ElementsAre("\xff", "\xfe"));
}

TEST(LexerTest, EndsAStringAtAQuoteThatIsNotDoubled) {
  EXPECT_THAT(texts_of("'a''b' 'c'"), ElementsAre("'a''b'", "'c'"));
  EXPECT_THAT(texts_of("''''"), ElementsAre("''''"));
  EXPECT_THAT(texts_of("'a'b'"), ElementsAre("'a'", "b", "'"));
  EXPECT_THAT(texts_of("'no end"), ElementsAre("'no end"));
  EXPECT_THAT(texts_of("\"no end"), ElementsAre("\"no end"));
}

TEST(LexerTest, KnowsWhetherAStringIsClosed) {
  const auto closed = [](std::string_view text) { return is_closed(Lexer(text).peek()); };
  EXPECT_TRUE(closed("''"));
  EXPECT_TRUE(closed("'a'"));
  EXPECT_TRUE(closed("''''"));
  EXPECT_FALSE(closed("'"));
  EXPECT_FALSE(closed("'a"));
  EXPECT_FALSE(closed("'''"));
  EXPECT_FALSE(closed("'a''"));
}

TEST(LexerTest, UnquotesAString) {
  const auto value = [](std::string_view text) { return unquote(Lexer(text).peek()); };
  EXPECT_EQ(value("''"), "");
  EXPECT_EQ(value("'a b'"), "a b");
  EXPECT_EQ(value("'it''s'"), "it's");
  EXPECT_EQ(value("''''''"), "''");
  EXPECT_EQ(value("'a\\n'"), "a\\n");
}

TEST(LexerTest, PeeksAnyNumberOfTokensAheadWithoutMoving) {
  Lexer lexer("a = 1");
  EXPECT_EQ(lexer.peek(2).text, "1");
  EXPECT_EQ(lexer.peek(3).kind, TokenKind::kEnd);
  EXPECT_EQ(lexer.peek(9).kind, TokenKind::kEnd);
  EXPECT_EQ(lexer.peek(9).offset_bytes, 5U);
  EXPECT_EQ(lexer.take().text, "a");
  EXPECT_EQ(lexer.peek().text, "=");
}

TEST(LexerTest, GoesOnWhereItIsTold) {
  Lexer lexer("data.größe = 1");
  lexer.seek(sizeof("data.größe") - 1);
  EXPECT_EQ(lexer.take().text, "=");
}

TEST(LexerTest, MatchesKeywordsInAnyCase) {
  EXPECT_TRUE(Lexer("BeTwEeN").peek().word("between"));
  EXPECT_FALSE(Lexer("between1").peek().word("between"));
  EXPECT_FALSE(Lexer("'between'").peek().word("between"));
  EXPECT_FALSE(Lexer("\"between\"").peek().word("between"));
  EXPECT_TRUE(is_reserved("AND"));
  EXPECT_FALSE(is_reserved("text"));
}

TEST(LexerTest, DescribesTokensForMessages) {
  const auto described = [](std::string_view text) { return describe(Lexer(text).peek()); };
  EXPECT_EQ(described(""), "the end");
  EXPECT_EQ(described("word"), "'word'");
  EXPECT_EQ(described("'a string'"), "'a string'");
  EXPECT_EQ(described("\"in\""), "'\"in\"'");
  const std::string forty(40, 'x');
  EXPECT_EQ(described(forty), "'" + forty + "'");
  EXPECT_EQ(described(forty + "y"), "'" + forty + "...'");
  // Cut between characters, not inside one.
  EXPECT_EQ(described("'" + std::string(38, 'x') + "üü'"), "'" + std::string(38, 'x') + "...'");
}

// All texts of three characters from an alphabet that has every way to begin a token.
TEST(LexerTest, CoversEveryTextButForBlanks) {
  constexpr std::string_view kAlphabet = "a_1e.-+'\"=!<>(% \n\xc3\xbc";
  for (const char a : kAlphabet) {
    for (const char b : kAlphabet) {
      for (const char c : kAlphabet) {
        const std::string text = {a, b, c};
        std::size_t end = 0;
        for (const Token& token : tokens_of(text)) {
          ASSERT_FALSE(token.text.empty()) << text;
          ASSERT_GE(token.offset_bytes, end) << text;
          const std::string_view between =
              std::string_view(text).substr(end, token.offset_bytes - end);
          ASSERT_EQ(between.find_first_not_of(" \n"), std::string_view::npos) << text;
          ASSERT_EQ(token.text.data(), text.data() + token.offset_bytes) << text;
          end = token.offset_bytes + token.text.size();
        }
        ASSERT_EQ(text.find_first_not_of(" \n", end), std::string::npos) << text;
      }
    }
  }
}

}  // namespace
}  // namespace weir::filter
