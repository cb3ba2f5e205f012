// SPDX-License-Identifier: Apache-2.0
#include "match/text_highlight.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

}  // namespace
}  // namespace weir::match
