// SPDX-License-Identifier: Apache-2.0
// LikePattern: the pattern of LIKE, compiled once and matched in linear time.
//
//   %   any run of characters, the empty one too        \%  \_   those two literally
//   _   exactly one character (a code point, not a byte)
//
// Any other backslash is itself; upper and lower case differ; the pattern covers the whole text.
//
// The pattern is split at its % into pieces of fixed length. The first and the last are compared in
// place, those between are searched from left to right: since a piece has a fixed length, the match
// that starts first also ends first, so nothing is ever tried twice. Without `_` a piece is
// searched by Knuth-Morris-Pratt over bytes, with `_` by shift-and over code points. For a text of
// n bytes and a longest piece of m characters a match costs O(n * ceil(m / 64)), whatever the
// pattern.
//
// Both sides are valid UTF-8. Immutable; safe to read from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::filter {

// One run between two %: literal bytes, or characters of which some are `_`.
class LikePiece {
 public:
  static constexpr std::uint32_t kAnyCharacter = 0xFFFFFFFF;

  // `characters` are code points or kAnyCharacter.
  explicit LikePiece(const std::vector<std::uint32_t>& characters);

  // Bytes of the match at the start (at the end) of the text; npos if there is none.
  std::size_t match_start(std::string_view text) const;
  std::size_t match_end(std::string_view text) const;
  // One past the first match in the text; npos if there is none.
  std::size_t find_end(std::string_view text) const;
  // What a byte of the text costs to search, where a byte that is compared costs one.
  std::uint64_t work_per_byte() const { return literal_ ? 2 : 2 + 2 * word_count_; }

 private:
  void prepare_bytes(const std::vector<std::uint32_t>& characters);
  void prepare_masks(const std::vector<std::uint32_t>& characters);
  void set_bit(std::size_t row, std::size_t character_index);
  const std::uint64_t* masks_of(std::uint32_t code_point) const;
  std::size_t find_bytes_end(std::string_view text) const;
  std::size_t find_characters_end(std::string_view text) const;

  bool literal_;

  // Without `_`: the bytes, and for each the length of the longest border up to it.
  std::string bytes_;
  std::vector<std::uint32_t> borders_;

  // With `_`: the characters, and a row of words for each distinct code point, bit i set if
  // character i accepts it. Row 0 belongs to all code points that the piece does not name.
  std::vector<std::uint32_t> characters_;
  std::size_t word_count_ = 0;
  std::vector<std::uint64_t> masks_;
  std::vector<std::uint32_t> code_points_;  // ascending; row i + 1
  std::vector<std::uint32_t> ascii_rows_;
};

class LikePattern {
 public:
  // The empty pattern, which only the empty text matches.
  LikePattern() : LikePattern(std::string_view()) {}

  // Never fails. Callers bound the length: m characters with `_` among them can take m * m / 8
  // bytes.
  static LikePattern compile(std::string_view pattern) { return LikePattern(pattern); }

  bool matches(std::string_view text) const;
  // About how many bytes matches() looks at, each word of shift-and as often as a byte; 0 for a
  // text that has not the fixed start and end.
  std::uint64_t work_bytes(std::string_view text) const;

  // The pattern as it was written.
  const std::string& text() const { return text_; }

  // Whether it matches one text only, which is fixed_start() then.
  bool is_fixed() const { return fixed_start().size() == text_.size(); }
  // What all texts that match begin with, and end with; both may be longer than is told here, if
  // the pattern has a backslash.
  std::string_view fixed_start() const;
  std::string_view fixed_end() const;

  bool operator==(const LikePattern& other) const { return text_ == other.text_; }

 private:
  explicit LikePattern(std::string_view pattern);

  std::string text_;
  std::vector<LikePiece> pieces_;  // one more than there are %; only the first and last are empty
};

}  // namespace weir::filter
