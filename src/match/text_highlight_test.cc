// SPDX-License-Identifier: Apache-2.0
#include "match/text_highlight.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"

namespace weir::match {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Strings = std::vector<std::string>;

Strings snippets(std::string_view words, const Strings& strings, HighlightOptions options = {}) {
  TextAnalyzer analyzer = *TextAnalyzer::create({});
  const auto query = compile_text_query(
      {{}, std::string(words), filter::About::Mode::kAny, std::nullopt}, 1.0, analyzer);
  EXPECT_TRUE(query) << query.error().message;
  return highlight(strings, *query, analyzer, options);
}

const HighlightOptions kPlain{.before = "**", .after = "**", .escapes = false};

HighlightOptions plain(std::size_t character_count_max, std::size_t snippet_count_max = 3) {
  HighlightOptions options = kPlain;
  options.character_count_max = character_count_max;
  options.snippet_count_max = snippet_count_max;
  return options;
}

TEST(TextHighlightTest, MarksEveryFormOfAWord) {
  EXPECT_THAT(snippets("storm flood", {"The STORMS, a flood & more"}),
              ElementsAre("The <em>STORMS</em>, a <em>flood</em> &amp; more"));
  EXPECT_THAT(snippets("storm", {"calm"}), IsEmpty());
  EXPECT_THAT(snippets("storm", {}), IsEmpty());
  EXPECT_THAT(snippets("storm", {""}), IsEmpty());
}

TEST(TextHighlightTest, EscapesTheTextButNotTheMarks) {
  EXPECT_THAT(snippets("storm", {"a <storm> \"b\" & it's"}),
              ElementsAre("a &lt;<em>storm</em>&gt; &quot;b&quot; &amp; it&#39;s"));
  EXPECT_THAT(snippets("storm", {"a <storm> b"}, kPlain), ElementsAre("a <**storm**> b"));
}

TEST(TextHighlightTest, MarksAPhraseWithItsStopWords) {
  EXPECT_THAT(snippets("\"state of the art\"", {"of the state of the art, the state"}, kPlain),
              ElementsAre("of the **state** **of** **the** **art**, the **state**"));
  EXPECT_THAT(snippets("\"to be\"", {"be to be to"}, kPlain), ElementsAre("be **to** **be** to"));
}

TEST(TextHighlightTest, DoesNotMarkWhatIsExcluded) {
  EXPECT_THAT(snippets("storm -sport -\"stock market\"", {"storm sport stock market"}, kPlain),
              ElementsAre("**storm** sport stock market"));
}

TEST(TextHighlightTest, CutsBetweenWordsAroundTheBestPlace) {
  const std::string text = "one two three storm four five six seven storm flood eight nine";
  EXPECT_THAT(snippets("storm flood", {text}, plain(30, 1)),
              ElementsAre("six seven **storm** **flood** eight"));
  EXPECT_THAT(snippets("storm flood", {text}, plain(11, 1)), ElementsAre("**storm** **flood**"));
  EXPECT_THAT(snippets("storm flood", {text}, plain(10, 1)), ElementsAre("**storm** four"));
  EXPECT_THAT(snippets("storm flood", {text}, plain(4)), IsEmpty()) << "no word fits";
}

TEST(TextHighlightTest, GivesSnippetsInTheOrderOfTheText) {
  const Strings strings = {"a storm here", "no more", "storm and flood there"};
  EXPECT_THAT(snippets("storm flood", strings, kPlain),
              ElementsAre("a **storm** here", "**storm** and **flood** there"));
  EXPECT_THAT(snippets("storm flood", strings, plain(200, 1)),
              ElementsAre("**storm** and **flood** there"));
  EXPECT_THAT(snippets("storm flood", strings, plain(200, 0)), IsEmpty());
  EXPECT_THAT(snippets("storm", {"storm one storm two storm"}, plain(9)),
              ElementsAre("**storm** one", "**storm** two", "**storm**"));
}

TEST(TextHighlightTest, CountsCharactersNotBytes) {
  EXPECT_THAT(snippets("storm", {"größe storm größe x"}, plain(17)),
              ElementsAre("größe **storm** größe"));
  EXPECT_THAT(snippets("storm", {"größe storm größe x"}, plain(16)),
              ElementsAre("größe **storm**"));
}

// Snippets are pieces of the text, do not overlap, are as short as asked for, and have marks.
TEST(TextHighlightTest, RandomSnippetsKeepTheirPromises) {
  constexpr std::string_view kWords[] = {"storm", "flood", "é", "of", "market", "<b>", "calm"};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    std::string text;
    while (prng.chance(0.95)) text += fmt::format("{} ", kWords[prng.below(std::size(kWords))]);
    const std::size_t count_max = 6 + prng.below(40);
    HighlightOptions options = plain(count_max);
    options.before = "[";
    options.after = "]";
    const Strings found = snippets("storm \"of market\"", {text}, options);
    std::size_t place = 0;
    for (std::string snippet : found) {
      EXPECT_NE(snippet.find('['), std::string::npos);
      std::erase_if(snippet, [](char c) { return c == '[' || c == ']'; });
      EXPECT_LE(std::ranges::count_if(snippet, [](char c) { return (c & 0xC0) != 0x80; }),
                static_cast<std::ptrdiff_t>(count_max));
      place = text.find(snippet, place);
      ASSERT_NE(place, std::string::npos);
      place += snippet.size();
    }
    const bool is_about = text.find("storm") != text.npos || text.find("market") != text.npos;
    EXPECT_EQ(found.empty(), !is_about) << text;
  }
}

// The definition, word by word: every run from every marked word, for every snippet anew.
class Definition {
 public:
  // Words are parted by one blank, and those in brackets are marked by what they are.
  Definition(const Strings& words, std::size_t character_count_max)
      : words_(words), taken_(words.size(), false), character_count_max_(character_count_max) {}

  Strings snippets(std::size_t count_max) {
    std::vector<std::pair<std::size_t, std::size_t>> chosen;
    while (chosen.size() < count_max) {
      auto [first, last] = best();
      if (first == words_.size()) break;
      widen(first, last);
      for (std::size_t i = first; i <= last; ++i) taken_[i] = true;
      chosen.emplace_back(first, last);
    }
    std::ranges::sort(chosen);
    Strings shown;
    for (const auto& [first, last] : chosen) {
      std::string& text = shown.emplace_back();
      for (std::size_t i = first; i <= last; ++i) {
        text += fmt::format("{}{}", i == first ? "" : " ", show(words_[i]));
      }
    }
    return shown;
  }

 private:
  static bool is_marked(const std::string& word) { return word == "storm" || word == "flood"; }
  static std::string show(const std::string& word) {
    return is_marked(word) ? "[" + word + "]" : word;
  }
  bool fits(std::size_t first, std::size_t last) const {
    std::size_t characters = last - first;
    for (std::size_t i = first; i <= last; ++i) characters += words_[i].size();
    return characters <= character_count_max_;
  }
  std::pair<std::size_t, std::size_t> best() const {
    std::pair best_run(words_.size(), std::size_t{0});
    std::pair<std::size_t, std::size_t> best_counts;
    for (std::size_t first = 0; first < words_.size(); ++first) {
      if (!is_marked(words_[first])) continue;
      std::size_t last = first;
      std::set<std::string> terms;
      std::size_t count = 0;
      for (std::size_t i = first; i < words_.size() && !taken_[i] && fits(first, i); ++i) {
        if (!is_marked(words_[i])) continue;
        terms.insert(words_[i]);
        last = i;
        ++count;
      }
      if (const std::pair counts(terms.size(), count); counts > best_counts) {
        best_counts = counts;
        best_run = {first, last};
      }
    }
    return best_run;
  }
  void widen(std::size_t& first, std::size_t& last) const {
    for (bool grows = true; grows;) {
      grows = false;
      if (first > 0 && !taken_[first - 1] && fits(first - 1, last)) {
        --first;
        grows = true;
      }
      if (last + 1 < words_.size() && !taken_[last + 1] && fits(first, last + 1)) {
        ++last;
        grows = true;
      }
    }
  }

  const Strings& words_;
  std::vector<bool> taken_;
  std::size_t character_count_max_;
};

TEST(TextHighlightTest, FindsWhatTheDefinitionFinds) {
  constexpr std::string_view kWords[] = {"storm", "flood", "x", "market", "calm"};
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Strings words(prng.below(60));
    for (std::string& word : words) word = kWords[prng.below(std::size(kWords))];
    HighlightOptions options = plain(3 + prng.below(40), prng.below(8));
    options.before = "[";
    options.after = "]";
    const std::string text = fmt::format("{}", fmt::join(words, " "));
    EXPECT_EQ(snippets("storm flood", {text}, options),
              Definition(words, options.character_count_max).snippets(options.snippet_count_max))
        << text;
  }
}

TEST(TextHighlightTest, LooksAtTheBeginningOfALongText) {
  std::string text = "storm ";
  while (text.size() < kHighlightTextBytesMax) text += "calm calm ";
  text += "storm flood";
  EXPECT_THAT(snippets("storm flood", {text, "flood"}, plain(10)), ElementsAre("**storm** calm"));
}

TEST(TextHighlightTest, LeavesMarksOutBeyondALimit) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "x ";
  HighlightOptions options = plain(2000, 20);
  options.before = std::string(64, '<');
  options.after = std::string(64, '>');
  std::size_t bytes = 0;
  const Strings found = snippets("x", {text}, options);
  for (const std::string& snippet : found) bytes += snippet.size();
  EXPECT_EQ(found.size(), 20U);
  EXPECT_LE(bytes, kHighlightBytesMax);
  EXPECT_GT(bytes, 20 * 1990 + kHighlightMarkBytesMax - 200);
}

TEST(TextHighlightTest, FindsALongPhraseAmongItsOwnBeginnings) {
  std::string text;
  std::string phrase;
  for (int i = 0; i < 20'000; ++i) text += "x ";
  for (int i = 0; i < 500; ++i) phrase += "x ";
  EXPECT_THAT(snippets("\"" + phrase + "y\"", {text + "y"}, plain(5, 1)),
              ElementsAre("**x** **x** **y**"));
}

}  // namespace
}  // namespace weir::match
