// SPDX-License-Identifier: Apache-2.0
#include "filter/like.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/utf8.h"

namespace weir::filter {
namespace {

constexpr std::size_t kNotFound = std::string_view::npos;
constexpr std::size_t kInlineWordCount = 16;
constexpr std::size_t kAsciiCount = 128;

// A byte that is no UTF-8 counts as one character beyond Unicode.
base::CodePoint next_character(std::string_view text) {
  const base::CodePoint decoded = base::decode_utf8(text);
  if (decoded.length_bytes != 0) return decoded;
  return {0x110000U + static_cast<unsigned char>(text.front()), 1};
}

void append_character(std::uint32_t character, std::string& out) {
  if (character < 0x110000U) {
    base::append_utf8(character, out);
  } else {
    out += static_cast<char>(character - 0x110000U);
  }
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

LikePiece::LikePiece(const std::vector<std::uint32_t>& characters)
    : literal_(std::ranges::find(characters, kAnyCharacter) == characters.end()) {
  if (literal_) {
    prepare_bytes(characters);
  } else {
    prepare_masks(characters);
  }
}

void LikePiece::prepare_bytes(const std::vector<std::uint32_t>& characters) {
  for (const std::uint32_t character : characters) append_character(character, bytes_);
  borders_.resize(bytes_.size());
  std::uint32_t border = 0;
  for (std::size_t i = 1; i < bytes_.size(); ++i) {
    while (border > 0 && bytes_[i] != bytes_[border]) border = borders_[border - 1];
    if (bytes_[i] == bytes_[border]) ++border;
    borders_[i] = border;
  }
}

void LikePiece::set_bit(std::size_t row, std::size_t character_index) {
  masks_[row * word_count_ + character_index / 64] |= std::uint64_t{1} << (character_index % 64);
}

void LikePiece::prepare_masks(const std::vector<std::uint32_t>& characters) {
  characters_ = characters;
  code_points_ = characters_;
  std::ranges::sort(code_points_);
  code_points_.erase(std::ranges::unique(code_points_).begin(), code_points_.end());
  code_points_.pop_back();  // kAnyCharacter sorts last
  word_count_ = (characters_.size() + 63) / 64;
  masks_.resize((code_points_.size() + 1) * word_count_);
  for (std::size_t i = 0; i < characters_.size(); ++i) {
    if (characters_[i] == kAnyCharacter) {
      for (std::size_t row = 0; row <= code_points_.size(); ++row) set_bit(row, i);
    } else {
      const auto found = std::ranges::lower_bound(code_points_, characters_[i]);
      set_bit(static_cast<std::size_t>(found - code_points_.begin()) + 1, i);
    }
  }
  ascii_rows_.resize(kAsciiCount);
  for (std::uint32_t i = 0; i < code_points_.size() && code_points_[i] < kAsciiCount; ++i) {
    ascii_rows_[code_points_[i]] = i + 1;
  }
}

const std::uint64_t* LikePiece::masks_of(std::uint32_t code_point) const {
  std::size_t row = 0;
  if (code_point < kAsciiCount) {
    row = ascii_rows_[code_point];
  } else if (const auto found = std::ranges::lower_bound(code_points_, code_point);
             found != code_points_.end() && *found == code_point) {
    row = static_cast<std::size_t>(found - code_points_.begin()) + 1;
  }
  return masks_.data() + row * word_count_;
}

std::size_t LikePiece::match_start(std::string_view text) const {
  if (literal_) return text.starts_with(bytes_) ? bytes_.size() : kNotFound;
  std::size_t offset = 0;
  for (const std::uint32_t character : characters_) {
    if (offset == text.size()) return kNotFound;
    const base::CodePoint next = next_character(text.substr(offset));
    if (character != kAnyCharacter && character != next.value) return kNotFound;
    offset += next.length_bytes;
  }
  return offset;
}

std::size_t LikePiece::match_end(std::string_view text) const {
  if (literal_) return text.ends_with(bytes_) ? bytes_.size() : kNotFound;
  std::size_t begin = text.size();
  for (std::size_t i = 0; i < characters_.size(); ++i) {
    if (begin == 0) return kNotFound;
    --begin;
    while (begin > 0 && continues(text[begin])) --begin;
  }
  return match_start(text.substr(begin)) == text.size() - begin ? text.size() - begin : kNotFound;
}

std::size_t LikePiece::find_end(std::string_view text) const {
  return literal_ ? find_bytes_end(text) : find_characters_end(text);
}

std::size_t LikePiece::find_bytes_end(std::string_view text) const {
  std::size_t matched = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (matched == 0) {
      const void* first = std::memchr(text.data() + i, bytes_.front(), text.size() - i);
      if (first == nullptr) return kNotFound;
      i = static_cast<std::size_t>(static_cast<const char*>(first) - text.data());
    }
    while (matched > 0 && text[i] != bytes_[matched]) matched = borders_[matched - 1];
    if (text[i] == bytes_[matched]) ++matched;
    if (matched == bytes_.size()) return i + 1;
  }
  return kNotFound;
}

std::size_t LikePiece::find_characters_end(std::string_view text) const {
  // Bit i of the state: the characters up to i match what was just read.
  std::array<std::uint64_t, kInlineWordCount> inline_state{};
  std::vector<std::uint64_t> long_state(word_count_ > kInlineWordCount ? word_count_ : 0);
  const std::span<std::uint64_t> state =
      long_state.empty() ? std::span(inline_state).first(word_count_) : std::span(long_state);
  const std::uint64_t accepted = std::uint64_t{1} << ((characters_.size() - 1) % 64);
  for (std::size_t offset = 0; offset < text.size();) {
    const base::CodePoint next = next_character(text.substr(offset));
    offset += next.length_bytes;
    const std::uint64_t* masks = masks_of(next.value);
    std::uint64_t carry = 1;
    for (std::size_t word = 0; word < word_count_; ++word) {
      const std::uint64_t shifted = (state[word] << 1U) | carry;
      carry = state[word] >> 63U;
      state[word] = shifted & masks[word];
    }
    if ((state.back() & accepted) != 0) return offset;
  }
  return kNotFound;
}

LikePattern::LikePattern(std::string_view pattern) : text_(pattern) {
  std::vector<std::uint32_t> characters;
  for (std::size_t offset = 0; offset < pattern.size();) {
    const std::string_view rest = pattern.substr(offset);
    if (rest.starts_with("\\%") || rest.starts_with("\\_")) {
      characters.push_back(static_cast<unsigned char>(rest[1]));
      offset += 2;
    } else if (rest.front() == '%') {
      // Two % in a row are as one.
      if (pieces_.empty() || !characters.empty()) pieces_.emplace_back(characters);
      characters.clear();
      ++offset;
    } else {
      const base::CodePoint next = next_character(rest);
      characters.push_back(next.value == '_' ? LikePiece::kAnyCharacter : next.value);
      offset += next.length_bytes;
    }
  }
  pieces_.emplace_back(characters);
}

std::string_view LikePattern::fixed_start() const {
  return std::string_view(text_).substr(0, text_.find_first_of("%_\\"));
}

// The last backslash may be one that stands for itself, or for the next character.
std::string_view LikePattern::fixed_end() const {
  if (text_.find('\\') != std::string::npos) return {};
  return std::string_view(text_).substr(text_.find_last_of("%_") + 1);
}

std::uint64_t LikePattern::work_bytes(std::string_view text) const {
  if (!text.starts_with(fixed_start()) || !text.ends_with(fixed_end())) return 0;
  std::uint64_t per_byte = 1;
  for (const LikePiece& piece : pieces_) per_byte = std::max(per_byte, piece.work_per_byte());
  return text.size() * per_byte;
}

bool LikePattern::matches(std::string_view text) const {
  const std::size_t begin = pieces_.front().match_start(text);
  if (pieces_.size() == 1) return begin == text.size();
  if (begin == kNotFound) return false;
  text.remove_prefix(begin);
  const std::size_t end = pieces_.back().match_end(text);
  if (end == kNotFound) return false;
  text.remove_suffix(end);
  for (const LikePiece& piece : std::span(pieces_).subspan(1, pieces_.size() - 2)) {
    const std::size_t found = piece.find_end(text);
    if (found == kNotFound) return false;
    text.remove_prefix(found);
  }
  return true;
}

}  // namespace weir::filter
