// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/lexer.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::filter::cesql {
namespace {

using enum TokenKind;

std::vector<TokenKind> kinds_of(std::string_view text) {
  std::vector<TokenKind> kinds;
  const auto tokens = tokenize(text);
  EXPECT_TRUE(tokens.has_value()) << tokens.error().to_string();
  if (!tokens) return kinds;
  for (const Token& token : *tokens) kinds.push_back(token.kind);
  return kinds;
}

TEST(LexerTest, KnowsEverySymbol) {
  const std::vector<TokenKind> expected = {
      kLeftParenthesis, kRightParenthesis, kComma,          kPlus,     kMinus,    kStar,
      kSlash,           kPercent,          kEqual,          kNotEqual, kNotEqual, kLess,
      kLessOrEqual,     kGreater,          kGreaterOrEqual, kEnd};
  EXPECT_EQ(kinds_of("( ) , + - * / % = != <> < <= > >="), expected);
  EXPECT_EQ(kinds_of("(),+-*/%=!=<><<=>>="), expected);
}

TEST(LexerTest, KnowsKeywordsInAnyCase) {
  const std::vector<TokenKind> expected = {kAnd,    kOr, kXor,  kNot,   kLike,
                                           kExists, kIn, kTrue, kFalse, kEnd};
  EXPECT_EQ(kinds_of("AND OR XOR NOT LIKE EXISTS IN TRUE FALSE"), expected);
  EXPECT_EQ(kinds_of("and Or xOr not liKe exists iN true False"), expected);
}

TEST(LexerTest, TellsNamesFromIntegers) {
  EXPECT_EQ(kinds_of("12 12a a12 a_b android"),
            (std::vector<TokenKind>{kInteger, kName, kName, kFunctionName, kName, kEnd}));
}

TEST(LexerTest, SkipsBlanksOnly) {
  EXPECT_EQ(kinds_of(" \t\r\n"), (std::vector<TokenKind>{kEnd}));
  EXPECT_EQ(kinds_of("a\tb\nc"), (std::vector<TokenKind>{kName, kName, kName, kEnd}));
  EXPECT_FALSE(tokenize("a\vb").has_value());
  EXPECT_FALSE(tokenize("a\xC2\xA0"
                        "b")
                   .has_value());  // a no-break space
}

TEST(LexerTest, GivesTextAndPlaceOfATokenAsWritten) {
  const std::string text = "  Like 'a\\'b'";
  const auto tokens = tokenize(text);
  ASSERT_TRUE(tokens.has_value());
  ASSERT_EQ(tokens->size(), 3U);
  EXPECT_EQ((*tokens)[0].text, "Like");
  EXPECT_EQ((*tokens)[0].offset_bytes, 2U);
  EXPECT_EQ((*tokens)[1].text, "'a\\'b'");
  EXPECT_EQ((*tokens)[2].offset_bytes, text.size());
}

TEST(LexerTest, NamesALongTokenByItsBeginning) {
  const Token token{kName, "ééééééééééééééééééééééééé", 0};
  EXPECT_EQ(describe(token), "'éééééééééééééééééééé...'");
}

}  // namespace
}  // namespace weir::filter::cesql
