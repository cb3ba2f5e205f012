// SPDX-License-Identifier: Apache-2.0
#include "match/text_analyzer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/utf8.h"
#include "match/stop_words.h"
#include "match/text_word_table.h"

namespace weir::match {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Terms = std::vector<std::string>;

TextAnalyzer make(const TextAnalysis& options) {
  base::Result<TextAnalyzer> analyzer = TextAnalyzer::create(options);
  EXPECT_TRUE(analyzer) << analyzer.error().message;
  return *std::move(analyzer);
}

// The words of a text, with nothing dropped and nothing stemmed.
Terms words(std::string_view text) {
  TextAnalyzer analyzer = make({.language = "none"});
  Terms terms;
  analyzer.analyze(text, terms);
  return terms;
}

Terms terms_in(const std::string& language, std::string_view text) {
  TextAnalyzer analyzer = make({.language = language});
  Terms terms;
  analyzer.analyze(text, terms);
  return terms;
}

TEST(TextAnalyzerTest, SplitsFoldsDropsAndStems) {
  EXPECT_THAT(terms_in("english", "The STORMS flooded Zürich!"),
              ElementsAre("storm", "flood", "zürich"));
}

TEST(TextAnalyzerTest, KeepsOrderAndRepetitions) {
  EXPECT_THAT(terms_in("english", "storm, coast; storms"), ElementsAre("storm", "coast", "storm"));
}

TEST(TextAnalyzerTest, AppendsToWhatIsThere) {
  TextAnalyzer analyzer = make({});
  Terms terms = {"first"};
  analyzer.analyze("second third", terms);
  analyzer.analyze("fourth", terms);
  EXPECT_THAT(terms, ElementsAre("first", "second", "third", "fourth"));
}

TEST(TextAnalyzerTest, FindsNothingWhereThereIsNoWord) {
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words(std::string_view()), IsEmpty());
  EXPECT_THAT(words(" \t\r\n\u00A0\u3000"), IsEmpty());
  EXPECT_THAT(words("... --- !!! ?! (&%$) «» — “”"), IsEmpty());
  EXPECT_THAT(words("\u0301\u0323"), IsEmpty()) << "marks without a letter";
  EXPECT_THAT(words("\u200B\u200D\uFEFF"), IsEmpty());
}

TEST(TextAnalyzerTest, TakesComposedAndCombinedLettersForTheSame) {
  EXPECT_THAT(words("caf\u00E9 cafe\u0301 CAFE\u0301"), ElementsAre("café", "café", "café"));
  EXPECT_THAT(words("q\u0323\u0307 q\u0307\u0323"), ElementsAre("q\u0323\u0307", "q\u0323\u0307"))
      << "marks in canonical order";
  EXPECT_THAT(words("\uD55C\uAE00 \u1112\u1161\u11AB\u1100\u1173\u11AF"),
              ElementsAre("한글", "한글"));
}

TEST(TextAnalyzerTest, FoldsCaseFully) {
  EXPECT_THAT(words("Straße STRASSE STRA\u1E9EE"), ElementsAre("strasse", "strasse", "strasse"));
  EXPECT_THAT(words("ΣΊΣΥΦΟΣ σίσυφος"), ElementsAre("σίσυφοσ", "σίσυφοσ"));
  EXPECT_THAT(words("ÀÉÎ Ǆ"), ElementsAre("àéî", "dž"));
}

TEST(TextAnalyzerTest, FoldsCompatibilityForms) {
  EXPECT_THAT(words("ﬁnd ＷＥＩＲ ｶﾀｶﾅ ª x²"), ElementsAre("find", "weir", "カタカナ", "a", "x"))
      << "² is neither letter nor number";
}

TEST(TextAnalyzerTest, PinsCharactersThatFoldToSeveralWords) {
  EXPECT_THAT(words("\uFDFA"), ElementsAre("صلى الله عليه وسلم"));
}

TEST(TextAnalyzerTest, FoldsIByTheRulesOfTurkishOnlyInTurkish) {
  EXPECT_THAT(words("ISPARTA ısparta İzmir"), ElementsAre("isparta", "ısparta", "i\u0307zmir"));
  TextAnalyzer turkish = make({.language = "turkish", .stemming = false});
  Terms terms;
  turkish.analyze("ISPARTA ısparta İzmir I\u0307zmir izmir", terms);
  EXPECT_THAT(terms, ElementsAre("ısparta", "ısparta", "izmir", "izmir", "izmir"));
}

TEST(TextAnalyzerTest, SplitsTextFromRightToLeft) {
  EXPECT_THAT(words("שלום, עולם"), ElementsAre("שלום", "עולם"));
  EXPECT_THAT(words("مرحبا بالعالم"), ElementsAre("مرحبا", "بالعالم"));
  EXPECT_THAT(words("צה\"ל"), ElementsAre("צה\"ל")) << "quotes inside a Hebrew word";
  EXPECT_THAT(words("\u202Bשלום\u202C"), ElementsAre("שלום")) << "embedding marks";
}

TEST(TextAnalyzerTest, SplitsScriptsWithoutBlanksByDictionary) {
  EXPECT_THAT(words("我喜欢吃苹果。"), ElementsAre("我", "喜欢", "吃", "苹果"));
  EXPECT_THAT(words("東京都に住む"), ElementsAre("東京", "都", "に", "住む"));
  EXPECT_THAT(words("สวัสดีครับ"), ElementsAre("สวัสดี", "ครับ"));
}

TEST(TextAnalyzerTest, SkipsEmoji) {
  EXPECT_THAT(words("👨\u200D👩\u200D👧 😀 ❤\uFE0F 🇨🇭 storm😀flood"),
              ElementsAre("storm", "flood"));
  EXPECT_THAT(words("1\uFE0F\u20E3"), ElementsAre("1\u20E3")) << "a keycap is a number";
}

TEST(TextAnalyzerTest, KeepsNumbersTogether) {
  EXPECT_THAT(words("3.14 1,000 10% -5 1e9 ١٢٣ 2024-05-17"),
              ElementsAre("3.14", "1,000", "10", "5", "1e9", "١٢٣", "2024", "05", "17"));
}

TEST(TextAnalyzerTest, KeepsApostrophesInsideWords) {
  EXPECT_THAT(words("don't don\u2019t 'quoted' O'Neil rock'n'roll"),
              ElementsAre("don't", "don't", "quoted", "o'neil", "rock'n'roll"));
  EXPECT_THAT(terms_in("english", "the storm's storms' don\u2019t"), ElementsAre("storm", "storm"));
}

TEST(TextAnalyzerTest, PinsAddressesAndIdentifiers) {
  EXPECT_THAT(words("https://example.com/a-b?c=d#e"),
              ElementsAre("https", "example.com", "a", "b", "c", "d", "e"));
  EXPECT_THAT(words("Bob@Example.com"), ElementsAre("bob@example.com"));
  EXPECT_THAT(words("foo_bar __ C++ AT&T U.S.A. a:b"),
              ElementsAre("foo_bar", "__", "c", "at", "t", "u.s.a", "a", "b"));
}

TEST(TextAnalyzerTest, DropsInvisibleCharactersInsideWords) {
  EXPECT_THAT(words("a\u200Db a\u200Cb a\u00ADb a\u2060b"), ElementsAre("ab", "ab", "ab", "ab"));
  EXPECT_THAT(words("a\u200Bb"), ElementsAre("a", "b")) << "a blank of no width parts words";
}

TEST(TextAnalyzerTest, TakesANulByteForABlank) {
  EXPECT_THAT(words("storm\0flood\0"s), ElementsAre("storm", "flood"));
}

TEST(TextAnalyzerTest, LetsInvalidBytesPartWords) {
  EXPECT_THAT(words("a\xFF\xFE"
                    "b \xC3"),
              ElementsAre("a", "b"));
  EXPECT_THAT(words("storm\xC3"), ElementsAre("storm")) << "truncated";
  EXPECT_THAT(words("a\xED\xA0\x80z"), ElementsAre("a", "z")) << "a surrogate";
}

TEST(TextAnalyzerTest, CutsLongWordsBetweenCodePoints) {
  TextAnalyzer analyzer = make({.language = "none", .term_bytes_max = 5});
  Terms terms;
  analyzer.analyze("abcdefgh ééé 가나다", terms);
  EXPECT_THAT(terms, ElementsAre("abcde", "éé", "가"));
}

TEST(TextAnalyzerTest, CutsBeforeItStems) {
  EXPECT_THAT(terms_in("english", "hoping"), ElementsAre("hope"));
  TextAnalyzer analyzer = make({.term_bytes_max = 4});
  Terms terms;
  analyzer.analyze("hoping", terms);
  EXPECT_THAT(terms, ElementsAre("hopi"));
}

TEST(TextAnalyzerTest, CutsAStemThatGrew) {
  EXPECT_THAT(terms_in("turkish", "ağac"), ElementsAre("ağaç"));
  TextAnalyzer analyzer = make({.language = "turkish", .term_bytes_max = 5});
  Terms terms;
  analyzer.analyze("ağac", terms);
  EXPECT_THAT(terms, ElementsAre("ağa"));
}

TEST(TextAnalyzerTest, ReadsOnlyTheBeginningOfALongWord) {
  TextAnalyzer analyzer = make({.language = "none", .term_bytes_max = 4});
  std::string hyphens;
  for (int i = 0; i < 6; ++i) hyphens += "\u00AD";
  Terms terms;
  analyzer.analyze("a" + hyphens + "bcd a" + hyphens + "\u00ADbcd", terms);
  EXPECT_THAT(terms, ElementsAre("abcd", "ab")) << "16 bytes are read, soft hyphens folded away";
}

TEST(TextAnalyzerTest, LeavesOutWhatTheOptionsSay) {
  Terms terms;
  make({.stop_words = false}).analyze("the storms", terms);
  EXPECT_THAT(terms, ElementsAre("the", "storm"));
  terms.clear();
  make({.stemming = false}).analyze("the storms", terms);
  EXPECT_THAT(terms, ElementsAre("storms"));
}

TEST(TextAnalyzerTest, KnowsOtherLanguages) {
  EXPECT_THAT(terms_in("german", "Die Stürme und das Hochwasser"),
              ElementsAre("sturm", "hochwass"));
  EXPECT_THAT(terms_in("french", "les tempêtes et les inondations"),
              ElementsAre("tempêt", "inond"));
  EXPECT_THAT(terms_in("spanish", "las tormentas y las inundaciones"),
              ElementsAre("torment", "inund"));
  EXPECT_THAT(terms_in("swedish", "och stormarna"), ElementsAre("och", "storm")) << "no stop words";
}

TEST(TextAnalyzerTest, SplitShowsTheWordsBeforeTheyAreDroppedAndStemmed) {
  TextAnalyzer analyzer = make({});
  Terms terms;
  analyzer.split("The STORMS!", terms);
  EXPECT_THAT(terms, ElementsAre("the", "storms"));
}

struct Seen {
  std::string written;
  std::string folded;
  std::string term;

  bool operator==(const Seen&) const = default;
};

std::vector<Seen> seen_in(TextAnalyzer& analyzer, std::string_view text) {
  std::vector<Seen> seen;
  analyzer.for_each_word(text, [&](const TextToken& token, const TextWord& word) {
    seen.push_back({std::string(text.substr(token.begin, token.end - token.begin)),
                    std::string(word.folded), std::string(word.term)});
  });
  return seen;
}

TEST(TextAnalyzerTest, TokensTellWhereAWordStandsAndWhatBecameOfIt) {
  TextAnalyzer analyzer = make({});
  EXPECT_THAT(seen_in(analyzer, "The STORMS, Zu\u0308rich 東京!"),
              ElementsAre(Seen{"The", "the", ""}, Seen{"STORMS", "storms", "storm"},
                          Seen{"Zu\u0308rich", "zürich", "zürich"}, Seen{"東京", "東京", "東京"}));
}

TEST(TextAnalyzerTest, AWordHasOneIdInAllTexts) {
  TextAnalyzer analyzer = make({});
  const auto ids = [&](std::string_view text) {
    std::vector<std::uint32_t> found;
    analyzer.for_each_word(
        text, [&](const TextToken& token, const TextWord&) { found.push_back(token.word); });
    return found;
  };
  EXPECT_THAT(ids("storm the Storm storm"), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(ids("the storm flood"), ElementsAre(1, 0, 3));
  EXPECT_EQ(analyzer.word(2).folded, "storm");
  EXPECT_EQ(analyzer.generation(), 0U);
}

TEST(TextAnalyzerTest, StartsAnewInTheMiddleOfAText) {
  TextAnalyzer analyzer = make({});
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "storm ";
  analyzer.start(text);
  EXPECT_FALSE(analyzer.next().empty());
  EXPECT_THAT(seen_in(analyzer, "flood"), ElementsAre(Seen{"flood", "flood", "flood"}));
  EXPECT_THAT(analyzer.next(), IsEmpty());
}

// Ids that were given stay good until the next call, also when the table was full in between.
TEST(TextAnalyzerTest, IdsBeginAnewWhenTheTableIsFull) {
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += "x" + std::to_string(i) + " storms ";
  TextAnalyzer analyzer = make({});
  analyzer.start(text);
  std::uint64_t generation = 0;
  std::vector<std::string> memo;  // of each id, as a consumer keeps it
  std::size_t word_count = 0;
  for (auto tokens = analyzer.next(); !tokens.empty(); tokens = analyzer.next()) {
    if (std::exchange(generation, analyzer.generation()) != analyzer.generation()) memo.clear();
    for (const TextToken& token : tokens) {
      if (token.word >= memo.size()) memo.resize(token.word + 1);
      const std::string written = text.substr(token.begin, token.end - token.begin);
      if (memo[token.word].empty()) memo[token.word] = written;
      ASSERT_EQ(memo[token.word], written);
      ASSERT_EQ(analyzer.word(token.word).folded, written);
      ++word_count;
    }
    ASSERT_LE(memo.size(), TextWordTable::kWordsMax);
  }
  EXPECT_EQ(word_count, 300'000U);
  EXPECT_EQ(generation, 2U);
}

// Each word alone gives what it gave in the text, in every language and whatever came before.
TEST(TextAnalyzerTest, AWordGivesTheSameAloneAndAfterOthers) {
  constexpr std::string_view kPieces[] = {"Storm", "IŞIK", "ı", "É", "e\u0301", "’", "'", ".", ",",
                                          " ",     " ",    " ", "1", "_",       "Σ", "ß", "ﬁ"};
  base::Prng prng(41);
  for (const std::string& language : TextAnalyzer::languages()) {
    TextAnalyzer analyzer = make({.language = language, .term_bytes_max = 16});
    std::string text;
    for (int i = 0; i < 2'000; ++i) text += kPieces[prng.below(std::size(kPieces))];
    for (const Seen& seen : seen_in(analyzer, text)) {
      TextAnalyzer fresh = make({.language = language, .term_bytes_max = 16});
      EXPECT_THAT(seen_in(fresh, seen.written), ElementsAre(seen)) << language;
    }
  }
}

TEST(TextAnalyzerTest, StopWordsAreWrittenAsTheyAreFolded) {
  for (const std::string& language : TextAnalyzer::languages()) {
    for (const std::string_view word : stop_words(language)) {
      EXPECT_THAT(words(word), ElementsAre(std::string(word)));
    }
  }
  EXPECT_FALSE(stop_words("english").empty());
  EXPECT_TRUE(stop_words("none").empty());
}

TEST(TextAnalyzerTest, RefusesAnUnknownLanguageAndSaysWhatThereIs) {
  const base::Result<TextAnalyzer> typo = TextAnalyzer::create({.language = "englisch"});
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().id, base::ErrorId::kEngineTextOptions);
  EXPECT_THAT(typo.error().message,
              HasSubstr("no text analysis for language 'englisch', did you mean english?; there "
                        "are: arabic, armenian, "));
  const auto message = [](const std::string& language) {
    return TextAnalyzer::create({.language = language}).error().message;
  };
  EXPECT_THAT(message("English"), HasSubstr("did you mean english?"));
  EXPECT_THAT(message("ger"), HasSubstr("did you mean german?"));
  EXPECT_THAT(message("klingon"), Not(HasSubstr("did you mean")));
  EXPECT_THAT(message(""), Not(HasSubstr("did you mean")));
  EXPECT_THAT(message(std::string(1'000'000, 'x')), Not(HasSubstr("did you mean")));
}

TEST(TextAnalyzerTest, RefusesTermsTooShortOrTooLong) {
  for (const std::size_t bytes : {0U, 3U, 257U}) {
    const base::Result<TextAnalyzer> refused = TextAnalyzer::create({.term_bytes_max = bytes});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().id, base::ErrorId::kEngineOption);
    EXPECT_THAT(refused.error().message, HasSubstr("expected 4 to 256"));
  }
  EXPECT_TRUE(TextAnalyzer::create({.term_bytes_max = 4}));
  EXPECT_TRUE(TextAnalyzer::create({.term_bytes_max = 256}));
}

TEST(TextAnalyzerTest, EveryLanguageItNamesCanBeUsed) {
  for (const std::string& language : TextAnalyzer::languages()) {
    EXPECT_THAT(terms_in(language, "storm"), Not(IsEmpty())) << language;
  }
}

TEST(TextAnalyzerTest, CanBeMoved) {
  TextAnalyzer first = make({});
  TextAnalyzer second = std::move(first);
  first = make({.language = "german"});
  Terms terms;
  second.analyze("storms", terms);
  EXPECT_THAT(terms, ElementsAre("storm"));
  EXPECT_EQ(second.options(), TextAnalysis{});
  EXPECT_EQ(first.options().language, "german");
}

// More distinct words than are remembered: what was forgotten is worked out again, and alike.
TEST(TextAnalyzerTest, GivesTheSameTermsWhateverCameBefore) {
  std::string text;
  Terms expected;
  for (int i = 0; i < 70'000; ++i) {
    text += "x" + std::to_string(i) + " storms the ";
    expected.push_back("x" + std::to_string(i));
    expected.emplace_back("storm");
  }
  TextAnalyzer analyzer = make({});
  for (int run = 0; run < 2; ++run) {
    Terms terms;
    analyzer.analyze(text, terms);
    EXPECT_TRUE(terms == expected);
  }
}

TEST(TextAnalyzerTest, RandomTextGivesShortValidTerms) {
  base::Prng prng(20'240'517);
  TextAnalyzer analyzer = make({.language = "turkish", .term_bytes_max = 8});
  TextAnalyzer fresh = make({.language = "turkish", .term_bytes_max = 8});
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 50; ++i) {
      const auto point = static_cast<std::uint32_t>(prng.below(prng.chance(0.5) ? 0x500 : 0xD800));
      base::append_utf8(point, text);
    }
    Terms terms;
    analyzer.analyze(text, terms);
    for (const std::string& term : terms) {
      EXPECT_TRUE(!term.empty() && term.size() <= 8) << "round " << round;
      EXPECT_EQ(base::utf8_valid_prefix_bytes(term), term.size()) << "round " << round;
    }
    Terms again;
    fresh.analyze(text, again);
    EXPECT_EQ(terms, again) << "round " << round;
  }
}

}  // namespace
}  // namespace weir::match
