// SPDX-License-Identifier: Apache-2.0
#include "match/text_language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "filter/text_languages.h"
#include "match/text_analyzer.h"

namespace weir::match {
namespace {

const std::map<std::string, std::vector<std::string>> kTags = {
    {"arabic", {"ar", "ara"}},
    {"armenian", {"hy", "hye", "arm"}},
    {"basque", {"eu", "eus", "baq"}},
    {"catalan", {"ca", "cat"}},
    {"danish", {"da", "dan"}},
    {"dutch", {"nl", "nld", "dut"}},
    {"english", {"en", "eng"}},
    {"finnish", {"fi", "fin"}},
    {"french", {"fr", "fra", "fre"}},
    {"german", {"de", "deu", "ger"}},
    {"greek", {"el", "ell", "gre"}},
    {"hindi", {"hi", "hin"}},
    {"hungarian", {"hu", "hun"}},
    {"indonesian", {"id", "ind", "in"}},
    {"irish", {"ga", "gle"}},
    {"italian", {"it", "ita"}},
    {"lithuanian", {"lt", "lit"}},
    {"nepali", {"ne", "nep"}},
    {"norwegian", {"no", "nor", "nb", "nob", "nn", "nno"}},
    {"portuguese", {"pt", "por"}},
    {"romanian", {"ro", "ron", "rum", "mo", "mol"}},
    {"russian", {"ru", "rus"}},
    {"serbian", {"sr", "srp"}},
    {"spanish", {"es", "spa"}},
    {"swedish", {"sv", "swe"}},
    {"tamil", {"ta", "tam"}},
    {"turkish", {"tr", "tur"}},
    {"yiddish", {"yi", "yid", "ji"}},
};

TEST(TextLanguageTest, EveryLanguageHasItsCodes) {
  for (const std::string& language : TextAnalyzer::languages()) {
    if (language == "none" || language == "porter") continue;
    const auto tags = kTags.find(language);
    ASSERT_NE(tags, kTags.end()) << language;
    for (const std::string& tag : tags->second) EXPECT_EQ(text_language(tag), language) << tag;
  }
}

TEST(TextLanguageTest, FiltersKnowTheLanguagesThatLibstemmerHas) {
  EXPECT_THAT(filter::text_languages(), testing::ElementsAreArray(TextAnalyzer::languages()));
}

TEST(TextLanguageTest, EveryNameStandsForItself) {
  for (const std::string& language : TextAnalyzer::languages()) {
    EXPECT_EQ(text_language(language), language);
  }
  EXPECT_EQ(text_language("porter"), "porter") << "a name only";
  EXPECT_EQ(text_language("none"), "none");
}

TEST(TextLanguageTest, CaseDoesNotMatter) {
  EXPECT_EQ(text_language("DE"), "german");
  EXPECT_EQ(text_language("pT-bR"), "portuguese");
  EXPECT_EQ(text_language("German"), "german");
}

TEST(TextLanguageTest, WhatFollowsTheFirstPartDoesNotMatter) {
  for (const char* tag :
       {"de-AT", "de-Latn-CH-1901", "de-x-private", "de_CH", "deu-DE", "de-419"}) {
    EXPECT_EQ(text_language(tag), "german") << tag;
  }
}

TEST(TextLanguageTest, GivesNothingForWhatItDoesNotKnow) {
  for (const char* text :
       {"",          "-",     "x",        "xx",        "zh",       "und",   "klingon",
        "germ",      "d",     "de-",      "de--AT",    "-de",      "de-@",  "de-123456789",
        "german-AT", "de AT", "de.UTF-8", "i-klingon", "\xC3\xA4", "none-x"}) {
    EXPECT_EQ(text_language(text), std::nullopt) << text;
  }
  EXPECT_EQ(text_language(std::string("de\0", 3)), std::nullopt);
  EXPECT_EQ(text_language("de" + std::string(10'000'000, '-')), std::nullopt);
}

}  // namespace
}  // namespace weir::match
