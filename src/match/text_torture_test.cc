// SPDX-License-Identifier: Apache-2.0
// What text analysis makes of scripts from everywhere, of bytes that are no text, and of documents
// of ten megabytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_testing.h"
#include "match/text_analyzer.h"

namespace weir::match {
namespace {

// A sanitizer keeps what was freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

using namespace std::string_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Terms = std::vector<std::string>;

Terms terms_in(const std::string& language, std::string_view text) {
  TextAnalyzer analyzer = TextAnalyzer::create({.language = language}).value();
  Terms terms;
  analyzer.analyze(text, terms);
  return terms;
}

Terms words(std::string_view text) { return terms_in("none", text); }

TEST(TextTortureTest, ComposedAndDecomposedLettersAreTheSame) {
  EXPECT_THAT(words("Å Å A\u030A"), ElementsAre("å", "å", "å")) << "the unit angstrom as well";
  EXPECT_THAT(words("ệ e\u0323\u0302 e\u0302\u0323"), ElementsAre("ệ", "ệ", "ệ"));
  EXPECT_THAT(words("naïve nai\u0308ve NAI\u0308VE"), ElementsAre("naïve", "naïve", "naïve"));
  EXPECT_THAT(terms_in("german", "Stürme Stu\u0308rme"), ElementsAre("sturm", "sturm"));
}

TEST(TextTortureTest, MarksStayWithTheirLetterAndMakeNoWord) {
  EXPECT_THAT(words("a\u0301\u0302\u0303b"), ElementsAre("á\u0302\u0303b"));
  EXPECT_THAT(words(" \u0301a"), ElementsAre("a")) << "a mark on a blank";
  EXPECT_THAT(words("a .\u0301b"), ElementsAre("a", "b")) << "a mark on punctuation";
  EXPECT_THAT(words("a.\u0301b"), ElementsAre("a.\u0301b")) << "inside a word";
}

TEST(TextTortureTest, HebrewKeepsItsPoints) {
  EXPECT_THAT(words("שָׁלוֹם עֲלֵיכֶם"), SizeIs(2));
  EXPECT_THAT(words("שָׁלוֹם"), ElementsAre(words("שָׁלוֹם")[0]))
      << "points are no part of the letters, in whatever order";
  EXPECT_NE(words("שָׁלוֹם"), words("שלום")) << "and are not dropped";
  EXPECT_THAT(words("ד\"ר ג'ירפה"), ElementsAre("ד\"ר", "ג'ירפה"));
  EXPECT_THAT(words("\u200Fשלום\u200E, world"), ElementsAre("שלום", "world"));
}

TEST(TextTortureTest, ArabicKeepsTatweelAndMarks) {
  EXPECT_THAT(words("العـــربية"), ElementsAre("العـــربية")) << "tatweel is a letter";
  EXPECT_THAT(words("مُحَمَّد"), SizeIs(1));
  EXPECT_THAT(words("ﻻ"), ElementsAre("لا")) << "a form of presentation";
  EXPECT_THAT(words("١٬٢٣٤٫٥"), ElementsAre("١٬٢٣٤٫٥")) << "separators of numbers";
  EXPECT_THAT(terms_in("arabic", "الكتاب والكتب"), Each(::testing::Not(IsEmpty())));
}

TEST(TextTortureTest, ScriptsWithoutBlanksAreParted) {
  EXPECT_THAT(words("今天天气很好"), ElementsAre("今天", "天气", "很好"));
  EXPECT_THAT(words("カタカナとひらがな"), SizeIs(::testing::Gt(1U)));
  EXPECT_THAT(words("ภาษาไทย"), ElementsAre("ภาษา", "ไทย"));
  EXPECT_THAT(words("storm東京flood"), ElementsAre("storm", "東京", "flood"));
  EXPECT_THAT(words("𠮷野家"), SizeIs(::testing::Ge(1U))) << "beyond the basic plane";
}

TEST(TextTortureTest, EmojiPartWordsAndAreNone) {
  EXPECT_THAT(words("👩🏽\u200D🚀 👨\u200D👩\u200D👧\u200D👦"), IsEmpty());
  EXPECT_THAT(words("storm👩🏽\u200D🚀flood"), ElementsAre("storm", "flood"));
  EXPECT_THAT(words("🇨🇭🇩🇪🇫 storm🇨🇭flood"), ElementsAre("storm", "flood")) << "also half a flag";
  EXPECT_THAT(words("#\uFE0F\u20E3 1\uFE0F\u20E3"), ElementsAre("1\u20E3"));
  EXPECT_THAT(words("🏴\U000E0067\U000E0062\U000E007F storm"), ElementsAre("storm"));
  EXPECT_THAT(words("a\u200D😀b"), ElementsAre("b")) << "ICU takes letters joined to one for none";
  EXPECT_THAT(words("©2024 ®storm™"), ElementsAre("2024", "storm"));
}

TEST(TextTortureTest, InvalidBytesOfAnyKindPartWords) {
  for (const std::string& bytes :
       {"\x80"s, "\xBF\xBF"s, "\xC3"s, "\xE2\x82"s, "\xF0\x9F\x98"s, "\xC0\xAF"s, "\xC1\xBF"s,
        "\xE0\x80\xAF"s, "\xF0\x80\x80\xAF"s, "\xED\xA0\x80"s, "\xED\xBF\xBF"s,
        "\xED\xA0\xBD\xED\xB8\x80"s, "\xF4\x90\x80\x80"s, "\xF8\x88\x80\x80\x80"s,
        "\xFC\x84\x80\x80\x80\x80"s, "\xFE"s, "\xFF"s}) {
    EXPECT_THAT(words("storm" + bytes + "flood"), ElementsAre("storm", "flood"))
        << ::testing::PrintToString(bytes);
    EXPECT_THAT(words(bytes), IsEmpty()) << ::testing::PrintToString(bytes);
    EXPECT_THAT(words("é" + bytes), ElementsAre("é")) << ::testing::PrintToString(bytes);
  }
}

TEST(TextTortureTest, NulBytesAreBlanks) {
  EXPECT_THAT(words("\0"s), IsEmpty());
  EXPECT_THAT(words("a\0b\0\0é\0我"s), ElementsAre("a", "b", "é", "我"));
}

TEST(TextTortureTest, JoinersOfNoWidthAreDroppedInsideWords) {
  EXPECT_THAT(words("می\u200Cخواهم"), ElementsAre("میخواهم"));
  EXPECT_THAT(words("क्\u200Dष"), ElementsAre("क्ष"));
  EXPECT_THAT(words("\u200D \u200C\u200D"), IsEmpty());
  EXPECT_THAT(words("\uFEFFstorm\uFEFF"), ElementsAre("storm")) << "a byte order mark";
}

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

// Documents that would take minutes if any step were not linear.
class TenMegabytesTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 10'000'000;

  // Only counts, so that memory is the analyzer's own.
  std::size_t count(const std::string& text) {
    std::size_t word_count = 0;
    analyzer_.start(text);
    for (auto tokens = analyzer_.next(); !tokens.empty(); tokens = analyzer_.next()) {
      word_count += tokens.size();
    }
    return word_count;
  }

  TextAnalyzer analyzer_ = TextAnalyzer::create({}).value();
};

TEST_F(TenMegabytesTest, OfOrdinaryText) {
  EXPECT_EQ(count(repeated("storm flood ", kBytes)), 2 * ((kBytes + 11) / 12));
}

TEST_F(TenMegabytesTest, OfOneWord) {
  Terms terms;
  analyzer_.analyze(repeated("a", kBytes), terms);
  EXPECT_THAT(terms, ElementsAre(std::string(64, 'a')));
  EXPECT_EQ(count(repeated("é", kBytes)), 1U);
}

// ICU's share of it is cut.
TEST_F(TenMegabytesTest, OfOneWordThatEndsWithAMark) {
  EXPECT_EQ(count(repeated("a", kBytes) + "\u0301"), kBytes / 65'536 + 1);
  EXPECT_EQ(count(repeated("א", kBytes)), kBytes / 65'536 + 1);
}

TEST_F(TenMegabytesTest, OfMarksOnOneLetter) {
  EXPECT_EQ(count("e" + repeated("\u0301\u0323", kBytes)), 1U);
}

TEST_F(TenMegabytesTest, OfScriptsWithoutBlanks) {
  EXPECT_EQ(count(repeated("我喜欢吃苹果", kBytes)), 4 * ((kBytes + 17) / 18));
  EXPECT_GT(count(repeated("สวัสดีครับ", kBytes)), kBytes / 30);
}

TEST_F(TenMegabytesTest, OfBlanksBeforeAMark) {
  EXPECT_EQ(count(repeated(" ", kBytes) + "\u0301storm"), 1U);
}

TEST_F(TenMegabytesTest, OfBytesThatAreNoText) { EXPECT_EQ(count(repeated("\x80", kBytes)), 0U); }

TEST_F(TenMegabytesTest, OfHardCharactersBetweenLetters) {
  EXPECT_EQ(count(repeated("a😀", kBytes)), (kBytes + 4) / 5);
}

// The table of words, the slots of which grow, and what ICU takes for a stretch.
TEST_F(TenMegabytesTest, OfWordsThatAreNewAllTheTimeTakeBoundedMemory) {
  constexpr std::size_t kGrowthMax = std::size_t{16} << 20U;
  std::string short_words;
  for (std::size_t i = 0; short_words.size() < kBytes; ++i) {
    short_words += "S" + std::to_string(i) + " ";
  }
  std::string long_words;
  for (std::size_t i = 0; long_words.size() < kBytes; ++i) {
    long_words += std::string(250, 'X') + std::to_string(i) + " ";
  }
  std::string han = repeated("我喜欢吃苹果", kBytes);
  const std::size_t growth = base::resident_growth([&] {
    for (std::string* text : {&short_words, &long_words, &han}) count(*text);
  });
  if (!kIsSanitized) {
    EXPECT_LE(growth, kGrowthMax);
  }
}

}  // namespace
}  // namespace weir::match
