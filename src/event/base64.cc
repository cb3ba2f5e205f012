// SPDX-License-Identifier: Apache-2.0
#include "event/base64.h"

#include <array>
#include <cstdint>

namespace weir::event {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kInvalid = 0xFF;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kInvalid);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}();

std::uint32_t digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }

std::size_t padding_bytes(std::string_view text) {
  if (text.ends_with("==")) return 2;
  return text.ends_with('=') ? 1 : 0;
}

}  // namespace

std::optional<std::size_t> base64_error_offset(std::string_view text) {
  const std::size_t digits_end = text.size() - padding_bytes(text);
  for (std::size_t i = 0; i < digits_end; ++i) {
    if (digit(text[i]) == kInvalid) return i;
  }
  if (text.size() % 4 != 0) return digits_end;
  // The bits of the last digit that reach into the padding must be zero.
  const std::uint32_t loose_mask = padding_bytes(text) == 2 ? 0x0FU : 0x03U;
  const bool loose = padding_bytes(text) > 0 && (digit(text[digits_end - 1]) & loose_mask) != 0;
  if (loose) return digits_end - 1;
  return std::nullopt;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (base64_error_offset(text)) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      group = (group << 6U) | (text[i + j] == '=' ? 0 : digit(text[i + j]));
    }
    out.push_back(static_cast<char>((group >> 16U) & 0xFFU));
    out.push_back(static_cast<char>((group >> 8U) & 0xFFU));
    out.push_back(static_cast<char>(group & 0xFFU));
  }
  out.resize(out.size() - padding_bytes(text));
  return out;
}

void append_base64(std::string_view bytes, std::string& out) {
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group <<= 8U;
      if (i + j < bytes.size()) group |= static_cast<unsigned char>(bytes[i + j]);
    }
    const std::size_t digits = bytes.size() - i >= 3 ? 4 : bytes.size() - i + 1;
    for (std::size_t j = 0; j < 4; ++j) {
      out.push_back(j < digits ? kAlphabet[(group >> (18U - 6U * j)) & 0x3FU] : '=');
    }
  }
}

}  // namespace weir::event
