// SPDX-License-Identifier: Apache-2.0
#include "match/text_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "base/utf8.h"

namespace weir::match {
namespace {

using namespace std::string_view_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ranges = std::vector<TextRange>;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

class TextSplitterTest : public ::testing::Test {
 protected:
  static TextSplitter make(const TextSplitting& options) {
    return TextSplitter::create(options).value();
  }

  static Ranges split(TextSplitter& splitter, std::string_view text) {
    Ranges all;
    Ranges some;
    splitter.start(text);
    for (splitter.next(some); !some.empty(); splitter.next(some)) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  static std::vector<std::string> words(TextSplitter& splitter, std::string_view text) {
    std::vector<std::string> found;
    for (const TextRange range : split(splitter, text)) {
      found.emplace_back(text.substr(range.begin, range.end - range.begin));
    }
    return found;
  }

  // Whether the tables find what ICU finds.
  bool agrees(std::string_view text) { return split(splitter_, text) == split(icu_, text); }

  TextSplitter splitter_ = make({});
  TextSplitter icu_ = make({.icu_alone = true, .stretch_bytes_max = kNoLimit});
};

// At least one of each kind that the rules tell apart, and bytes that are not UTF-8.
constexpr std::string_view kKinds[] = {
    "a"sv,          "Z"sv,      "1"sv,      "_"sv,           "."sv,          ","sv,
    "'"sv,          "\""sv,     ":"sv,      ";"sv,           "@"sv,          "-"sv,
    " "sv,          "\r"sv,     "\n"sv,     "\0"sv,          "\u00E9"sv,     "\u00B7"sv,
    "\u2019"sv,     "\u2014"sv, "\u202F"sv, "\u066B"sv,      "\u0434"sv,     "\u0627"sv,
    "\u00A9"sv,     "\u0301"sv, "\u00AD"sv, "\u200D"sv,      "\u200B"sv,     "\u3000"sv,
    "\u05D0"sv,     "\u30AB"sv, "\u3072"sv, "\u6211"sv,      "\u0E01"sv,     "\uAC00"sv,
    "\u1E9E"sv,     "\uFF1A"sv, "\uFF11"sv, "\U0001F600"sv,  "\U0001F1E8"sv, "\U0001F468"sv,
    "\U0001D400"sv, "\xFF"sv,   "\xC3"sv,   "\xED\xA0\x80"sv};

// The kinds that the tables know.
constexpr std::span<const std::string_view> kKnownKinds = std::span(kKinds).first(24);

std::string escaped(std::string_view text) { return ::testing::PrintToString(std::string(text)); }

std::string repeated(std::string_view unit, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += unit;
  return text;
}

TEST_F(TextSplitterTest, TellsWhereWordsAre) {
  EXPECT_THAT(split(splitter_, "the storm's"), ElementsAre(TextRange{0, 3}, TextRange{4, 11}));
  EXPECT_THAT(split(splitter_, "Zürich 我"), ElementsAre(TextRange{0, 7}, TextRange{8, 11}));
  EXPECT_THAT(split(splitter_, ""), IsEmpty());
  EXPECT_THAT(split(splitter_, {}), IsEmpty());
}

TEST_F(TextSplitterTest, FindsAllWordsOfALongText) {
  const Ranges found = split(splitter_, repeated("storm ", 10'000));
  ASSERT_EQ(found.size(), 10'000U);
  EXPECT_EQ(found.back(), (TextRange{59'994, 59'999}));
}

TEST_F(TextSplitterTest, AgreesWithIcuOnThreeCharactersOfAnyKinds) {
  for (const std::string_view first : kKinds) {
    for (const std::string_view second : kKinds) {
      for (const std::string_view third : kKinds) {
        const std::string text = std::string(first).append(second).append(third);
        ASSERT_TRUE(agrees(text)) << escaped(text);
      }
    }
  }
}

TEST_F(TextSplitterTest, AgreesWithIcuOnFourCharactersOfKnownKinds) {
  for (const std::string_view first : kKnownKinds) {
    for (const std::string_view second : kKnownKinds) {
      for (const std::string_view third : kKnownKinds) {
        std::string text;  // all fourth characters in one text, parted by what begins anew
        for (const std::string_view fourth : kKnownKinds) {
          text.append("\n").append(first).append(second).append(third).append(fourth);
        }
        ASSERT_TRUE(agrees(text)) << escaped(text);
      }
    }
  }
}

TEST_F(TextSplitterTest, AgreesWithIcuOnEveryCharacterBetweenAnyTwo) {
  for (std::uint32_t point = 0; point < 0x3100; ++point) {
    std::string character;
    base::append_utf8(point, character);
    std::string text;
    for (const std::string_view before : kKnownKinds) {
      text.append("\n").append(before).append(character);
      for (const std::string_view behind : {"a", "1", "_", " ", ".a", "\u0301", "\u05D0"}) {
        text.append("\n").append(before).append(character).append(behind);
      }
    }
    ASSERT_TRUE(agrees(text)) << "U+" << std::hex << point;
  }
}

TEST_F(TextSplitterTest, AgreesWithIcuOnRandomMixtures) {
  base::Prng prng(31);
  for (int round = 0; round < 20'000; ++round) {
    const double known = prng.fraction();  // so that some texts are hard here and there
    std::string text;
    for (std::uint64_t left = prng.below(150); left > 0; --left) {
      const std::span<const std::string_view> kinds = prng.chance(known) ? kKnownKinds : kKinds;
      text += kinds[prng.below(kinds.size())];
      if (prng.chance(0.02)) text += repeated("storm, ", prng.below(20));
    }
    ASSERT_TRUE(agrees(text)) << "round " << round << ": " << escaped(text);
  }
}

TEST_F(TextSplitterTest, AgreesWithIcuOnRandomBytes) {
  base::Prng prng(32);
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    for (std::uint64_t left = prng.below(100); left > 0; --left) {
      text += static_cast<char>(prng.chance(0.5) ? prng.below(0x80) : prng.below(0x100));
    }
    ASSERT_TRUE(agrees(text)) << "round " << round << ": " << escaped(text);
  }
}

// Stretches may be parted anywhere, as long as there is a blank or punctuation within the limit.
TEST_F(TextSplitterTest, AgreesWithIcuWhereverStretchesAreParted) {
  constexpr std::string_view kPieces[] = {
      "我喜欢吃苹果"sv, "。"sv,    "שלום"sv, "\""sv,         "สวัสดีครับ"sv, " "sv,
      "e\u0301"sv,      "storm"sv, "1.5"sv,  "\U0001F600"sv, "、"sv,      "カタカナ"sv};
  base::Prng prng(33);
  for (int round = 0; round < 2'000; ++round) {
    splitter_ = make({.stretch_bytes_max = 100 + prng.below(100)});
    std::string text;
    for (std::uint64_t left = prng.below(200); left > 0; --left) {
      text += kPieces[prng.below(std::size(kPieces))];
      if (prng.chance(0.5)) text += "，";
      if (left % 2 == 0) text += "。";
    }
    ASSERT_TRUE(agrees(text)) << "round " << round << ": " << escaped(text);
  }
}

TEST_F(TextSplitterTest, CutsWordsOfIcuAtTheLimit) {
  TextSplitter splitter = make({.stretch_bytes_max = 8});
  EXPECT_THAT(words(splitter, "אבגדהו"), ElementsAre("אבגד", "הו"));
  EXPECT_THAT(words(splitter, "ะאבגדהו"), ElementsAre("ะאב", "גדהו")) << "a code point is not cut";
  EXPECT_THAT(words(splitter, "abcdefghijkl"), ElementsAre("abcdefghijkl")) << "not ICU's";
  EXPECT_THAT(words(splitter, "אב גדהו"), ElementsAre("אב", "גדהו"));
}

TEST_F(TextSplitterTest, PartsTextWithoutBlanksBetweenWords) {
  TextSplitter splitter = make({.stretch_bytes_max = 20});
  EXPECT_THAT(words(splitter, "我喜欢吃苹果我喜欢吃苹果"),
              ElementsAre("我", "喜欢", "吃", "苹果", "我", "喜欢", "吃", "苹果"));
}

TEST_F(TextSplitterTest, MakesProgressThroughBytesThatAreNoCodePoint) {
  TextSplitter splitter = make({.stretch_bytes_max = 4});
  EXPECT_THAT(words(splitter, repeated("\x80", 1'000) + "storm"), ElementsAre("storm"));
}

}  // namespace
}  // namespace weir::match
