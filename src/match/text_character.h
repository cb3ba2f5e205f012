// SPDX-License-Identifier: Apache-2.0
// TextCharacter: what a character does to the words around it (Word_Break of UAX 29, as the root
// rules of ICU have it), for the characters that Latin, Greek, Cyrillic and Arabic text is made of.
//
// Known by table are U+0000 to U+07FF and U+2000 to U+207F, without combining marks, invisible
// characters and Hebrew letters. All others, and bytes that are not UTF-8, are kHard: only ICU
// knows.
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::match {

enum class TextClass : std::uint8_t {
  kGap,        // a boundary before and behind it, but for what is kHard and for runs of gaps
  kLetter,     //
  kDigit,      //
  kJoiner,     // _ and the like: part of a word at either end; alone it is none
  kMidLetter,  // inside a word between two letters
  kMidDigit,   // inside a word between two digits
  kMidBoth,    // either
  kHard,
};

struct TextCharacter {
  TextClass type = TextClass::kGap;
  std::uint8_t bytes = 0;  // 0 behind the end of the text; of kHard, 1
};

class TextCharacters {
 public:
  // The one table, made from ICU's properties when it is first asked for.
  static const TextCharacters& table();

  TextCharacter at(std::string_view text, std::size_t offset) const {
    if (offset >= text.size()) return {};
    const auto byte = static_cast<unsigned char>(text[offset]);
    return byte < kAsciiCount ? TextCharacter{low_[byte], 1} : wide_at(text, offset);
  }

  TextClass of_ascii(char c) const { return low_[static_cast<unsigned char>(c)]; }

 private:
  static constexpr std::size_t kAsciiCount = 0x80;
  static constexpr std::size_t kLowCount = 0x800;
  static constexpr std::size_t kPunctuationBegin = 0x2000;
  static constexpr std::size_t kPunctuationCount = 0x80;

  TextCharacters();
  TextCharacter wide_at(std::string_view text, std::size_t offset) const;

  std::array<TextClass, kLowCount> low_;
  std::array<TextClass, kPunctuationCount> punctuation_;
};

}  // namespace weir::match
