// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/case_mapping.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace weir::filter::cesql {
namespace {

TEST(CaseMappingTest, MapsLettersOfAllScripts) {
  EXPECT_EQ(to_upper("azAZ09_ äöü ñ žš αβγ жщ ա ⅷ ⓐ 𐐨"), "AZAZ09_ ÄÖÜ Ñ ŽŠ ΑΒΓ ЖЩ Ա Ⅷ Ⓐ 𐐀");
  EXPECT_EQ(to_lower("azAZ09_ ÄÖÜ Ñ ŽŠ ΑΒΓ ЖЩ Ա Ⅷ Ⓐ 𐐀"), "azaz09_ äöü ñ žš αβγ жщ ա ⅷ ⓐ 𐐨");
}

TEST(CaseMappingTest, MapsAlternatingRangesLetterByLetter) {
  EXPECT_EQ(to_upper("āĀăĂ"), "ĀĀĂĂ");
  EXPECT_EQ(to_lower("āĀăĂ"), "āāăă");
  EXPECT_EQ(to_upper("ÿ"), "Ÿ");
  EXPECT_EQ(to_lower("Ÿ"), "ÿ");
}

TEST(CaseMappingTest, TurnsOneCharacterIntoOne) {
  EXPECT_EQ(to_upper("ß ŉ ﬁ"), "ß ŉ ﬁ");
  EXPECT_EQ(to_lower("İ"), "i");
  EXPECT_EQ(to_lower("ΣΑΣ"), "σασ");
}

TEST(CaseMappingTest, LeavesEverythingElseAlone) {
  EXPECT_EQ(to_upper("潮位 🌊 12 ÷ ×"), "潮位 🌊 12 ÷ ×");
  EXPECT_EQ(to_lower(""), "");
  EXPECT_EQ(to_upper("a\xFFz"), "A\xFFZ");
}

// Mapping twice changes nothing, and every result is valid UTF-8 of one character.
TEST(CaseMappingTest, IsIdempotentOnEveryCodePoint) {
  std::size_t lower_count = 0;
  std::size_t upper_count = 0;
  for (std::uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    std::string text;
    base::append_utf8(code_point, text);
    const std::string lower = to_lower(text);
    const std::string upper = to_upper(text);
    lower_count += lower != text ? 1U : 0U;
    upper_count += upper != text ? 1U : 0U;
    ASSERT_EQ(base::utf8_length(lower), 1U);
    ASSERT_EQ(base::utf8_length(upper), 1U);
    ASSERT_EQ(to_lower(lower), lower) << code_point;
    ASSERT_EQ(to_upper(upper), upper) << code_point;
  }
  EXPECT_EQ(lower_count, 1433U);
  EXPECT_EQ(upper_count, 1450U);
}

TEST(CaseMappingTest, KnowsUnicodesWhiteSpace) {
  std::size_t count = 0;
  for (std::uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    count += is_white_space(code_point) ? 1U : 0U;
  }
  EXPECT_EQ(count, 25U);
  for (const std::uint32_t space : {0x09U, 0x0DU, 0x20U, 0x85U, 0xA0U, 0x2003U, 0x3000U}) {
    EXPECT_TRUE(is_white_space(space)) << space;
  }
  for (const std::uint32_t other : {0x00U, 0x08U, 0x1FU, 0x200BU, 0x2060U, 0xFEFFU}) {
    EXPECT_FALSE(is_white_space(other)) << other;
  }
}

}  // namespace
}  // namespace weir::filter::cesql
