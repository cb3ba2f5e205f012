// SPDX-License-Identifier: Apache-2.0
#include "match/html_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/prng.h"
#include "base/utf8.h"
#include "match/html_reference.h"

namespace weir::match {
namespace {

// HTML's tokenizer character by character, state by state, with the states' names in HTML. Knows
// text, tags and comments, but no references and no elements: what it shows is all text.
class SlowTokenizer {
 public:
  std::string text(std::string_view html) {
    for (std::size_t at = 0; at < html.size();) {
      if (step(html.substr(at))) ++at;
    }
    if (state_ == State::kTagOpen) text_ += "<";
    if (state_ == State::kEndTagOpen) text_ += "</";
    return text_;
  }

 private:
  enum class State {
    kData,
    kTagOpen,
    kEndTagOpen,
    kTagName,
    kBeforeAttributeName,
    kAttributeName,
    kAfterAttributeName,
    kBeforeAttributeValue,
    kDoubleQuoted,
    kSingleQuoted,
    kUnquoted,
    kAfterQuoted,
    kSelfClosing,
    kBogusComment,
    kMarkupDeclaration,
    kCommentOpen,  // at the second dash
    kCommentStart,
    kCommentStartDash,
    kComment,
    kCommentEndDash,
    kCommentEnd,
    kCommentEndBang,
  };
  using enum State;

  bool go(State state) {
    state_ = state;
    return true;
  }
  bool reconsume(State state) {
    state_ = state;
    return false;
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  // Whether the first character of `rest` was consumed.
  bool step(std::string_view rest) {
    if (state_ <= kTagName) return step_in_text(rest[0]);
    if (state_ <= kAfterAttributeName) return step_in_name(rest[0]);
    if (state_ <= kSelfClosing) return step_in_value(rest[0]);
    return step_in_comment(rest);
  }

  bool step_in_text(char c) {
    if (state_ == kData) {
      if (c == '<') return go(kTagOpen);
      text_ += c;
      return true;
    }
    if (state_ == kTagOpen) {
      if (c == '!') return go(kMarkupDeclaration);
      if (c == '/') return go(kEndTagOpen);
      if (is_letter(c)) return reconsume(kTagName);
      if (c == '?') return reconsume(kBogusComment);
      text_ += '<';
      return reconsume(kData);
    }
    if (state_ == kEndTagOpen) {
      if (is_letter(c)) return reconsume(kTagName);
      return c == '>' ? go(kData) : reconsume(kBogusComment);
    }
    if (is_space(c)) return go(kBeforeAttributeName);
    if (c == '/') return go(kSelfClosing);
    return go(c == '>' ? kData : kTagName);
  }

  bool step_in_name(char c) {
    if (state_ == kBeforeAttributeName) {
      if (is_space(c)) return true;
      if (c == '/' || c == '>') return reconsume(kAfterAttributeName);
      return c == '=' ? go(kAttributeName) : reconsume(kAttributeName);
    }
    if (state_ == kAttributeName) {
      if (is_space(c) || c == '/' || c == '>') return reconsume(kAfterAttributeName);
      return go(c == '=' ? kBeforeAttributeValue : kAttributeName);
    }
    if (is_space(c)) return true;
    if (c == '/') return go(kSelfClosing);
    if (c == '=') return go(kBeforeAttributeValue);
    return c == '>' ? go(kData) : reconsume(kAttributeName);
  }

  bool step_in_value(char c) {
    if (state_ == kBeforeAttributeValue) {
      if (is_space(c)) return true;
      if (c == '"') return go(kDoubleQuoted);
      if (c == '\'') return go(kSingleQuoted);
      return c == '>' ? go(kData) : reconsume(kUnquoted);
    }
    if (state_ == kDoubleQuoted) return go(c == '"' ? kAfterQuoted : kDoubleQuoted);
    if (state_ == kSingleQuoted) return go(c == '\'' ? kAfterQuoted : kSingleQuoted);
    if (c == '>') return go(kData);
    if (state_ == kUnquoted) return go(is_space(c) ? kBeforeAttributeName : kUnquoted);
    if (state_ == kAfterQuoted && c == '/') return go(kSelfClosing);
    return reconsume(kBeforeAttributeName);
  }

  bool step_in_comment(std::string_view rest) {
    const char c = rest[0];
    const bool is_dash = c == '-';
    if (state_ == kBogusComment) return go(c == '>' ? kData : kBogusComment);
    if (state_ == kMarkupDeclaration) {
      return rest.starts_with("--") ? go(kCommentOpen) : reconsume(kBogusComment);
    }
    if (state_ == kCommentOpen) return go(kCommentStart);
    if (state_ == kCommentStart) {
      if (is_dash) return go(kCommentStartDash);
      return c == '>' ? go(kData) : reconsume(kComment);
    }
    if (state_ == kCommentStartDash) {
      if (is_dash) return go(kCommentEnd);
      return c == '>' ? go(kData) : reconsume(kComment);
    }
    if (state_ == kComment) return go(is_dash ? kCommentEndDash : kComment);
    if (state_ == kCommentEndDash) return is_dash ? go(kCommentEnd) : reconsume(kComment);
    if (state_ == kCommentEnd) {
      if (c == '>') return go(kData);
      if (c == '!') return go(kCommentEndBang);
      return is_dash ? true : reconsume(kComment);
    }
    if (is_dash) return go(kCommentEndDash);
    return c == '>' ? go(kData) : reconsume(kComment);
  }

  State state_ = kData;
  std::string text_;
};

// All strings of up to `length_max` characters of `alphabet`, behind `prefix`.
void expect_all_as_slow(std::string_view prefix, std::string_view alphabet,
                        std::size_t length_max) {
  for (std::size_t length = 0; length <= length_max; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) count *= alphabet.size();
    for (std::size_t number = 0; number < count; ++number) {
      std::string html(prefix);
      for (std::size_t i = 0, rest = number; i < length; ++i, rest /= alphabet.size()) {
        html += alphabet[rest % alphabet.size()];
      }
      ASSERT_EQ(html_text(html), SlowTokenizer().text(html)) << html;
    }
  }
}

TEST(HtmlTextTest, ReadsAllShortStringsAsHtmlsTokenizerDoes) {
  expect_all_as_slow("", "<>/!-?a =\"", 5);
  expect_all_as_slow("<a", "\"'=/> x", 6);
  expect_all_as_slow("<!--", "-!><x", 7);
}

TEST(HtmlTextTest, ReadsRandomLongStringsAsHtmlsTokenizerDoes) {
  base::Prng prng(7);
  constexpr std::string_view kAlphabet = "<<<>>>//!--?ab \t\n==\"\"'";
  for (int round = 0; round < 20'000; ++round) {
    std::string html;
    const std::size_t length = prng.below(60);
    for (std::size_t i = 0; i < length; ++i) html += kAlphabet[prng.below(kAlphabet.size())];
    ASSERT_EQ(html_text(html), SlowTokenizer().text(html)) << html;
  }
}

TEST(HtmlTextTest, InlineTagsDoNotPartWordsAndBlocksDo) {
  EXPECT_EQ(html_text("sto<b>r</b>m"), "storm");
  EXPECT_EQ(html_text("super<wbr>market <x-new>one</x-new>two"), "supermarket onetwo");
  EXPECT_EQ(html_text("<p>storm</p><P>flood<br/>rain</p>"), "storm\nflood\nrain\n");
  EXPECT_EQ(html_text("<table><tr><td>a<td>b</table>c<img src=x>d"), "a\nb\nc\nd");
  EXPECT_EQ(html_text("<ul><li>one<li>two</ul>"), "one\ntwo\n");
}

TEST(HtmlTextTest, AttributesAreDroppedAndTheirQuotesHonoured) {
  EXPECT_EQ(html_text("<a title=\"x > y\" href='>'>link</a>"), "link");
  EXPECT_EQ(html_text("<img alt='a storm'>"), "");
  EXPECT_EQ(html_text("<a \"x>y\">z"), "y\">z");
  EXPECT_EQ(html_text("<b/>bold"), "bold");
}

TEST(HtmlTextTest, CommentsDoctypesInstructionsAndCdataGo) {
  EXPECT_EQ(html_text("<!DOCTYPE html>a<!-- b > <c> -->d<?xml version='1'?>e"), "ade");
  EXPECT_EQ(html_text("a<![CDATA[b]]>c"), "ac");
  EXPECT_EQ(html_text("a<!-->b<!--->c<!--x--!>d</ e>f</>g"), "abcdfg");
}

TEST(HtmlTextTest, HiddenElementsGoWithTheirContents) {
  EXPECT_EQ(html_text("a<script>if (x < y) '<p>'; </scripts></SCRIPT >b"), "ab");
  EXPECT_EQ(html_text("a<style>p > b {}</style>b<noscript>c</noscript>d"), "abd");
  EXPECT_EQ(html_text("a<iframe>b</iframe>c"), "a\nc");
  EXPECT_EQ(html_text("a<template>b<p><template>c</template>&lt;d</template>e</template>f"), "aef");
}

TEST(HtmlTextTest, ElementsOfPlainTextKeepIt) {
  EXPECT_EQ(html_text("<title>a <b> &amp; c</title>d"), "a <b> & c\nd");
  EXPECT_EQ(html_text("<textarea><p></textarea>"), "<p>\n");
  EXPECT_EQ(html_text("<xmp>a<b>&amp;</xmp>"), "a<b>&amp;\n");
  EXPECT_EQ(html_text("a<plaintext>b</plaintext><p>&amp;"), "a\nb</plaintext><p>&amp;");
}

TEST(HtmlTextTest, SloppyTextIsReadAsABrowserReadsIt) {
  EXPECT_EQ(html_text("a < b && c <3 d <"), "a < b && c <3 d <");
  EXPECT_EQ(html_text("if a<b then"), "if a");
  EXPECT_EQ(html_text("a <b title='x"), "a ");
  EXPECT_EQ(html_text("a<p title='>"), "a");
  EXPECT_EQ(html_text("a<!-- b --"), "a");
  EXPECT_EQ(html_text("a<script>b</scrip"), "a");
  EXPECT_EQ(html_text("a<title>b</title"), "a\nb</title");
  EXPECT_EQ(html_text("a</"), "a</");
  EXPECT_EQ(html_text(""), "");
}

TEST(HtmlTextTest, NumericReferencesAreCorrectedAsHtmlDoes) {
  EXPECT_EQ(html_text("&#65;&#x42;&#X43&#68x"), "ABCDx");
  EXPECT_EQ(html_text("&#128;&#x9F;&#150;"), "\u20AC\u0178\u2013");
  EXPECT_EQ(html_text("&#x81;&#xA0;"), "\xC2\x81\u00A0");
  EXPECT_EQ(html_text("&#0;&#xD800;&#xDFFF;"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(html_text("&#x10FFFF;&#x110000;&#99999999999999999999;"), "\U0010FFFF\uFFFD\uFFFD");
  EXPECT_EQ(html_text("&#00000000000000000065;"), "A");
  EXPECT_EQ(html_text("&#;&#x;&#xg&#a&#"), "&#;&#x;&#xg&#a&#");
}

TEST(HtmlTextTest, NamedReferencesNeedTheirSemicolonUnlessTheyAreOld) {
  EXPECT_EQ(html_text("caf&eacute; &LT; &lt;b&gt; &amp;amp; &quot;&apos;"), "café < <b> &amp; \"'");
  EXPECT_EQ(html_text("5 &euro; &hellip; &Scaron;&#353; &Zcaron;&zhcy;"), "5 € … Šš Žж");
  EXPECT_EQ(html_text("caf&eacute &ltb &euro 5"), "café <b &euro 5");
  EXPECT_EQ(html_text("&notin; &notit; &notes &ampx;"), "∉ ¬it; ¬es &x;");
  EXPECT_EQ(html_text("&nosuch; &; & &EACUTE; a&b=c"), "&nosuch; &; & &EACUTE; a&b=c");
}

TEST(HtmlTextTest, AReferenceIsNeverShorterThanItsCharacter) {
  for (const std::string_view shortest : {"&#0", "&#9", "&gt", "&ic;", "&pi;", "&#128", "&#x80"}) {
    const HtmlReference reference = read_html_reference(shortest);
    std::string character;
    base::append_utf8(reference.code_point, character);
    EXPECT_EQ(reference.length_bytes, shortest.size()) << shortest;
    EXPECT_LE(character.size(), shortest.size()) << shortest;
  }
}

// Looks at the text of a pattern that repeats. If the rest were looked through for each of them, it
// would take longer than a test may, even at 100 bytes in a nanosecond.
void expect_linear_time(std::string_view pattern) {
  std::string html;
  while (html.size() < std::size_t{1} << 25U) html += pattern;
  EXPECT_LE(html_text(html).size(), html.size()) << pattern;
}

TEST(HtmlTextTest, TakesLinearTimeForTagsThatAreNotClosed) { expect_linear_time("<a b='>"); }
TEST(HtmlTextTest, TakesLinearTimeForManyComments) { expect_linear_time("<!--x-->"); }
TEST(HtmlTextTest, TakesLinearTimeForManyTitles) { expect_linear_time("<title>x</title>"); }
TEST(HtmlTextTest, TakesLinearTimeForManyScripts) { expect_linear_time("<script>x</script>"); }
TEST(HtmlTextTest, TakesLinearTimeForManyReferences) { expect_linear_time("&#&ampl"); }

TEST(HtmlTextTest, OtherBytesPassAsTheyAre) {
  EXPECT_EQ(html_text("a\xFF<b>\x80z"), "a\xFF\x80z");
  EXPECT_EQ(html_text(std::string_view("a\0<b>b", 6)), std::string_view("a\0b", 3));
}

}  // namespace
}  // namespace weir::match
