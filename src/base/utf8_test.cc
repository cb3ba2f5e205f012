// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::base {
namespace {

using namespace std::string_view_literals;

constexpr std::uint32_t kCodePointMax = 0x10FFFF;

bool is_surrogate(std::uint32_t value) { return value >= 0xD800 && value <= 0xDFFF; }

// Well-formed sequences as the Unicode standard lists them (table 3-7): the range of each byte.
struct Range {
  unsigned low;
  unsigned high;
};
struct Row {
  std::size_t length;
  std::array<Range, 4> bytes;
};
constexpr Range kTail = {0x80, 0xBF};
constexpr std::array<Row, 9> kWellFormed = {{
    {1, {{{0x00, 0x7F}}}},
    {2, {{{0xC2, 0xDF}, kTail}}},
    {3, {{{0xE0, 0xE0}, {0xA0, 0xBF}, kTail}}},
    {3, {{{0xE1, 0xEC}, kTail, kTail}}},
    {3, {{{0xED, 0xED}, {0x80, 0x9F}, kTail}}},
    {3, {{{0xEE, 0xEF}, kTail, kTail}}},
    {4, {{{0xF0, 0xF0}, {0x90, 0xBF}, kTail, kTail}}},
    {4, {{{0xF1, 0xF3}, kTail, kTail, kTail}}},
    {4, {{{0xF4, 0xF4}, {0x80, 0x8F}, kTail, kTail}}},
}};

bool starts_with(std::string_view text, const Row& row) {
  if (text.size() < row.length) return false;
  for (std::size_t i = 0; i < row.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < row.bytes[i].low || byte > row.bytes[i].high) return false;
  }
  return true;
}

std::size_t expected_length(std::string_view text) {
  for (const Row& row : kWellFormed) {
    if (starts_with(text, row)) return row.length;
  }
  return 0;
}

TEST(Utf8Test, DecodesWhatItEncodesForEveryCodePoint) {
  for (std::uint32_t value = 0; value <= kCodePointMax; ++value) {
    if (is_surrogate(value)) continue;
    std::string text;
    append_utf8(value, text);
    ASSERT_EQ(expected_length(text), text.size()) << value;
    const CodePoint point = decode_utf8(text);
    ASSERT_EQ(point.value, value);
    ASSERT_EQ(point.length_bytes, text.size()) << value;
    ASSERT_EQ(utf8_length(text), 1U) << value;
    ASSERT_EQ(utf8_valid_prefix_bytes(text), text.size()) << value;
  }
}

TEST(Utf8Test, JudgesEverySequenceOfOneToThreeBytes) {
  std::array<char, 3> bytes{};
  for (unsigned all = 0; all < (1U << 24U); ++all) {
    bytes = {static_cast<char>(all >> 16U), static_cast<char>(all >> 8U), static_cast<char>(all)};
    const std::string_view three(bytes.data(), 3);
    ASSERT_EQ(decode_utf8(three).length_bytes, expected_length(three)) << std::hex << all;
    if ((all & 0xFFU) != 0) continue;
    const std::string_view two = three.substr(0, 2);
    ASSERT_EQ(decode_utf8(two).length_bytes, expected_length(two)) << std::hex << all;
    const std::string_view one = three.substr(0, 1);
    ASSERT_EQ(decode_utf8(one).length_bytes, expected_length(one)) << std::hex << all;
  }
}

TEST(Utf8Test, JudgesSequencesOfFourBytesAtTheEdges) {
  for (unsigned lead = 0xF0; lead <= 0xFF; ++lead) {
    for (unsigned second = 0; second <= 0xFF; ++second) {
      for (const unsigned third : {0x00U, 0x7FU, 0x80U, 0xBFU, 0xC0U, 0xFFU}) {
        for (const unsigned fourth : {0x00U, 0x7FU, 0x80U, 0xBFU, 0xC0U, 0xFFU}) {
          const std::string text = {static_cast<char>(lead), static_cast<char>(second),
                                    static_cast<char>(third), static_cast<char>(fourth)};
          ASSERT_EQ(decode_utf8(text).length_bytes, expected_length(text))
              << std::hex << lead << ' ' << second << ' ' << third << ' ' << fourth;
        }
      }
    }
  }
}

TEST(Utf8Test, LooksAtTheFirstCodePointOnly) {
  const CodePoint point = decode_utf8("\xC3\xA9\xFF");
  EXPECT_EQ(point.value, 0xE9U);
  EXPECT_EQ(point.length_bytes, 2U);
}

TEST(Utf8Test, FindsTheFirstInvalidByte) {
  EXPECT_EQ(utf8_valid_prefix_bytes(""), 0U);
  EXPECT_EQ(utf8_valid_prefix_bytes("plain"), 5U);
  EXPECT_EQ(utf8_valid_prefix_bytes("a\0b"sv), 3U);
  EXPECT_EQ(utf8_valid_prefix_bytes("caf\xC3\xA9\xFFx"), 5U);
  EXPECT_EQ(utf8_valid_prefix_bytes("caf\xC3"), 3U);
  EXPECT_EQ(utf8_valid_prefix_bytes("\xED\xA0\x80"), 0U);  // a surrogate
}

TEST(Utf8Test, CountsCodePoints) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("caf\xC3\xA9 \xF0\x9F\x98\x80"), 6U);
}

TEST(Utf8Test, CutsBetweenCodePoints) {
  const std::string_view text = "a\u00e9\u20ac";  // 1, 2 and 3 bytes
  const std::vector<std::size_t> bytes = {0, 1, 1, 3, 3, 3, 6, 6};
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(utf8_prefix(text, i).size(), bytes[i]);
}

}  // namespace
}  // namespace weir::base
