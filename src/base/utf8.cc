// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <algorithm>

namespace weir::base {
namespace {

constexpr std::uint32_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

constexpr bool is_continuation(std::uint32_t byte) { return (byte & 0xC0U) == 0x80U; }

// The three shapes of a multi-byte form: its length, the payload of its first byte, and the
// smallest value that may be written in it.
struct Form {
  std::size_t length_bytes;
  std::uint32_t payload;
  std::uint32_t minimum;
};

constexpr Form form_of(std::uint32_t lead) {
  if ((lead & 0xE0U) == 0xC0U) return {2, lead & 0x1FU, 0x80};
  if ((lead & 0xF0U) == 0xE0U) return {3, lead & 0x0FU, 0x800};
  if ((lead & 0xF8U) == 0xF0U) return {4, lead & 0x07U, 0x10000};
  return {0, 0, 0};
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1};
  const Form form = form_of(lead);
  if (form.length_bytes == 0 || text.size() < form.length_bytes) return {};
  std::uint32_t value = form.payload;
  for (std::size_t i = 1; i < form.length_bytes; ++i) {
    if (!is_continuation(byte_at(text, i))) return {};
    value = (value << 6U) | (byte_at(text, i) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < form.minimum || value > 0x10FFFF || surrogate) return {};
  return {value, form.length_bytes};
}

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto push = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto tail = [&](std::uint32_t shift) { push(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xC0U | (code_point >> 6U));
    tail(0);
  } else if (code_point < 0x10000) {
    push(0xE0U | (code_point >> 12U));
    tail(6);
    tail(0);
  } else {
    push(0xF0U | (code_point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t utf8_valid_prefix_bytes(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const CodePoint point = decode_utf8(text.substr(offset));
    if (point.length_bytes == 0) break;
    offset += point.length_bytes;
  }
  return offset;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && is_continuation(byte_at(text, end))) --end;
  return text.substr(0, end);
}

std::size_t utf8_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return !is_continuation(static_cast<unsigned char>(c)); }));
}

}  // namespace weir::base
