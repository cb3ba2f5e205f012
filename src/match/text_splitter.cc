// SPDX-License-Identifier: Apache-2.0
#include "match/text_splitter.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "match/text_character.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weir::match {
namespace {

constexpr std::size_t kBatchWords = 256;

// A stretch ends where at least so much ASCII follows: to start ICU costs about as much as to split
// that by ICU.
constexpr std::size_t kAsciiBytesAfter = 16;

constexpr std::size_t kCodePointBytesMax = 4;

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

// Whether there is a boundary between two ASCII characters whatever stands around them.
bool is_certain_boundary(char left, char right) {
  if (!is_ascii(left) || !is_ascii(right)) return false;
  if (left == '\r' || (left == ' ' && right == ' ')) return false;
  return TextCharacters::table().of_ascii(left) == TextClass::kGap;
}

// Behind the ASCII letters from there on.
std::size_t skip_letters(std::string_view text, std::size_t at) {
#ifdef __SSE2__
  constexpr std::size_t kBlockBytes = 16;
  const __m128i case_bit = _mm_set1_epi8(0x20);
  const __m128i before_a = _mm_set1_epi8('a' - 1);
  const __m128i behind_z = _mm_set1_epi8('z' + 1);
  while (at + kBlockBytes <= text.size()) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i small = _mm_or_si128(bytes, case_bit);  // a byte above 0x7F stays negative
    const __m128i letters =
        _mm_and_si128(_mm_cmpgt_epi8(small, before_a), _mm_cmplt_epi8(small, behind_z));
    const auto others = ~static_cast<unsigned>(_mm_movemask_epi8(letters));
    const auto count = static_cast<std::size_t>(std::countr_zero(others));
    if (count < kBlockBytes) return at + count;
    at += kBlockBytes;
  }
#endif
  const auto is_letter = [](char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; };
  while (at < text.size() && is_letter(text[at])) ++at;
  return at;
}

// What must follow a character in the middle of a word, so that the word goes on; kGap for nothing.
TextClass wanted_behind(TextClass before, TextClass middle) {
  using enum TextClass;
  if (before == kLetter && (middle == kMidLetter || middle == kMidBoth)) return kLetter;
  if (before == kDigit && (middle == kMidDigit || middle == kMidBoth)) return kDigit;
  return kGap;
}

// Reads one word by table.
struct WordScan {
  std::string_view text;
  std::size_t at;  // at the word's first character; then behind the word, or where it got hard
  bool is_hard = false;
  bool is_word = false;

  void run(const TextCharacters& characters);

 private:
  // Whether the word goes on behind a character in the middle.
  bool pass_middle(const TextCharacters& characters, TextCharacter middle, TextClass& last);
};

void WordScan::run(const TextCharacters& characters) {
  using enum TextClass;
  TextClass last = kGap;
  for (;;) {
    const TextCharacter next = characters.at(text, at);
    switch (next.type) {
      case kLetter:
        is_word = true;
        at = skip_letters(text, at + next.bytes);
        break;
      case kDigit:
        is_word = true;
        at += next.bytes;
        break;
      case kJoiner:
        is_word = is_word || last == kJoiner;
        at += next.bytes;
        break;
      case kHard:
        is_hard = true;
        return;
      case kGap:
        return;
      default:
        if (!pass_middle(characters, next, last)) return;
        continue;
    }
    last = next.type;
  }
}

bool WordScan::pass_middle(const TextCharacters& characters, TextCharacter middle,
                           TextClass& last) {
  const TextClass wanted = wanted_behind(last, middle.type);
  if (wanted == TextClass::kGap) return false;
  const TextCharacter behind = characters.at(text, at + middle.bytes);
  is_hard = behind.type == TextClass::kHard;
  if (behind.type != wanted) return false;
  at += std::size_t{middle.bytes} + behind.bytes;
  last = wanted;
  return true;
}

// At the next character that begins a word or is hard, or at the end.
std::size_t skip_gap(const TextCharacters& characters, std::string_view text, std::size_t at) {
  using enum TextClass;
  for (;;) {
    const TextCharacter next = characters.at(text, at);
    const bool stops =
        next.type == kLetter || next.type == kDigit || next.type == kJoiner || next.type == kHard;
    if (next.bytes == 0 || stops) return at;
    at += next.bytes;
  }
}

}  // namespace

struct TextSplitter::Icu {
  std::unique_ptr<icu::BreakIterator> boundaries;
  UText text = UTEXT_INITIALIZER;

  Icu() = default;
  Icu(const Icu&) = delete;
  Icu& operator=(const Icu&) = delete;
  ~Icu() { utext_close(&text); }

  void start(std::string_view stretch);
};

void TextSplitter::Icu::start(std::string_view stretch) {
  UErrorCode status = U_ZERO_ERROR;
  utext_openUTF8(&text, stretch.data(), static_cast<std::int64_t>(stretch.size()), &status);
  boundaries->setText(&text, status);
  WEIR_CHECK(U_SUCCESS(status));
}

base::Result<TextSplitter> TextSplitter::create(const TextSplitting& options) {
  WEIR_CHECK(options.stretch_bytes_max >= kCodePointBytesMax);
  auto made = std::make_unique<Icu>();
  UErrorCode status = U_ZERO_ERROR;
  made->boundaries.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  if (U_SUCCESS(status)) return TextSplitter(options, std::move(made));
  return base::Error{base::ErrorId::kEngineTextOptions,
                     fmt::format("ICU cannot split text into words: {}", u_errorName(status)),
                     std::nullopt};
}

TextSplitter::TextSplitter(const TextSplitting& options, std::unique_ptr<Icu> icu)
    : options_(options), icu_(std::move(icu)) {}
TextSplitter::TextSplitter(TextSplitter&&) noexcept = default;
TextSplitter& TextSplitter::operator=(TextSplitter&&) noexcept = default;
TextSplitter::~TextSplitter() = default;

void TextSplitter::start(std::string_view utf8) {
  WEIR_CHECK(utf8.size() <= std::numeric_limits<std::int32_t>::max());
  text_ = utf8;
  at_ = 0;
  hard_ = options_.icu_alone ? utf8.size() : 0;
}

void TextSplitter::next(std::vector<TextRange>& words) {
  const TextCharacters& characters = TextCharacters::table();
  words.clear();
  while (words.size() < kBatchWords && at_ < text_.size()) {
    if (at_ < hard_) {
      split_by_icu(words);
      continue;
    }
    const std::size_t begin = skip_gap(characters, text_, at_);
    WordScan scan{.text = text_, .at = begin};
    scan.run(characters);
    if (scan.is_hard) {
      // What is hard right behind a gap may belong to it.
      if (scan.at > begin) at_ = begin;
      hard_ = scan.at + 1;
      continue;
    }
    if (scan.is_word) {
      words.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(scan.at)});
    }
    at_ = scan.at;
  }
}

std::size_t TextSplitter::stretch_end() const {
  const bool is_short = text_.size() - at_ <= options_.stretch_bytes_max;
  const std::size_t last = is_short ? text_.size() : at_ + options_.stretch_bytes_max;
  std::size_t found = 0;  // none
  for (std::size_t i = hard_; i < last; ++i) {
    if (!is_ascii(text_[i])) {
      found = 0;
    } else if (found == 0) {
      if (is_certain_boundary(text_[i - 1], text_[i])) found = i;
    } else if (i - found >= kAsciiBytesAfter) {
      break;
    }
  }
  return found > 0 ? found : last;
}

void TextSplitter::split_by_icu(std::vector<TextRange>& words) {
  const std::size_t begin = at_;
  std::size_t end = stretch_end();
  const bool is_cut = end < text_.size() && !is_certain_boundary(text_[end - 1], text_[end]);
  if (is_cut) {
    for (std::size_t i = 1; i < kCodePointBytesMax && is_continuation(text_[end]); ++i) --end;
  }
  icu_->start(text_.substr(begin, end - begin));
  icu::BreakIterator& boundaries = *icu_->boundaries;
  struct Place {
    std::size_t at;
    std::size_t word_count;  // before it
  };
  Place gap{begin, words.size()};  // the last segment that is no word
  Place segment = gap;             // the last segment
  std::size_t at = begin;
  for (std::int32_t i = boundaries.next(); i != icu::BreakIterator::DONE; i = boundaries.next()) {
    segment = {at, words.size()};
    at = begin + static_cast<std::size_t>(i);
    if (boundaries.getRuleStatus() >= UBRK_WORD_NONE_LIMIT) {
      words.push_back({static_cast<std::uint32_t>(segment.at), static_cast<std::uint32_t>(at)});
    } else if (at < end) {
      // ICU has looked behind it, so that what comes after the stretch does not matter.
      gap = segment;
    }
  }
  at_ = end;
  const Place again = gap.at > begin ? gap : segment;
  if (is_cut && again.at > begin) {
    words.resize(again.word_count);
    at_ = again.at;
  }
}

}  // namespace weir::match
