// SPDX-License-Identifier: Apache-2.0
#include "match/text_character.h"

#include <unicode/uchar.h>

#include "base/utf8.h"

namespace weir::match {
namespace {

TextClass class_of(UChar32 point) {
  // Where ICU's rules differ from UAX 29.
  if (point == '@') return TextClass::kLetter;
  if (point == ':') return TextClass::kGap;
  switch (u_getIntPropertyValue(point, UCHAR_WORD_BREAK)) {
    case U_WB_OTHER:  // also a pictograph: only U+200D, which is hard, joins it to anything
    case U_WB_CR:
    case U_WB_LF:
    case U_WB_NEWLINE:
    case U_WB_WSEGSPACE:
    case U_WB_DOUBLE_QUOTE:  // is inside a word between two Hebrew letters only
      return TextClass::kGap;
    case U_WB_ALETTER:
      return TextClass::kLetter;
    case U_WB_NUMERIC:
      return TextClass::kDigit;
    case U_WB_EXTENDNUMLET:
      return TextClass::kJoiner;
    case U_WB_MIDLETTER:
      return TextClass::kMidLetter;
    case U_WB_MIDNUM:
      return TextClass::kMidDigit;
    case U_WB_MIDNUMLET:
    case U_WB_SINGLE_QUOTE:
      return TextClass::kMidBoth;
    default:
      return TextClass::kHard;
  }
}

}  // namespace

const TextCharacters& TextCharacters::table() {
  static const TextCharacters kTable;
  return kTable;
}

TextCharacters::TextCharacters() {
  for (std::size_t i = 0; i < kLowCount; ++i) low_[i] = class_of(static_cast<UChar32>(i));
  for (std::size_t i = 0; i < kPunctuationCount; ++i) {
    punctuation_[i] = class_of(static_cast<UChar32>(kPunctuationBegin + i));
  }
}

TextCharacter TextCharacters::wide_at(std::string_view text, std::size_t offset) const {
  const base::CodePoint point = base::decode_utf8(text.substr(offset));
  const auto bytes = static_cast<std::uint8_t>(point.length_bytes);
  if (point.length_bytes == 2) return {low_[point.value], bytes};
  if (point.length_bytes == 3 && point.value >= kPunctuationBegin &&
      point.value < kPunctuationBegin + kPunctuationCount) {
    return {punctuation_[point.value - kPunctuationBegin], bytes};
  }
  return {TextClass::kHard, 1};
}

}  // namespace weir::match
