// SPDX-License-Identifier: Apache-2.0
#include "event/event_rules.h"

#include <algorithm>

#include "base/utf8.h"

namespace weir::event {
namespace {

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Unreserved and reserved characters of RFC 3986; '%' is checked apart, '#' only counts once.
bool is_uri_char(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("-._~:/?[]@!$&'()*+,;=").find(c) != std::string_view::npos;
}

bool has_uri_characters(std::string_view text) {
  bool fragment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (text[i] == '#') {
      if (fragment) return false;
      fragment = true;
    } else if (!is_uri_char(text[i])) {
      return false;
    }
  }
  return true;
}

bool is_scheme(std::string_view text) {
  const auto is_scheme_char = [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, is_scheme_char);
}

// A token of RFC 2045: visible ASCII except the separators.
std::size_t token_bytes(std::string_view text) {
  const auto* const end = std::ranges::find_if(text, [](char c) {
    return c <= ' ' || c == 0x7F || static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("()<>@,;:\\\"/[]?=").find(c) != std::string_view::npos;
  });
  return static_cast<std::size_t>(end - text.begin());
}

std::size_t quoted_bytes(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return 0;
}

std::string_view trim_left(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

bool are_parameters(std::string_view text) {
  text = trim_left(text);
  while (!text.empty()) {
    if (text[0] != ';') return false;
    text = trim_left(text.substr(1));
    const std::size_t name = token_bytes(text);
    if (name == 0 || name >= text.size() || text[name] != '=') return false;
    text.remove_prefix(name + 1);
    const std::size_t value = text.starts_with('"') ? quoted_bytes(text) : token_bytes(text);
    if (value == 0) return false;
    text = trim_left(text.substr(value));
  }
  return true;
}

}  // namespace

bool is_attribute_name(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c); });
}

bool is_uri_reference(std::string_view text) {
  if (!has_uri_characters(text)) return false;
  // A colon before any '/', '?' or '#' ends a scheme, so what stands before it must be one.
  const std::size_t stop = text.find_first_of(":/?#");
  return stop == std::string_view::npos || text[stop] != ':' || is_scheme(text.substr(0, stop));
}

bool is_absolute_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  return has_uri_characters(text) && colon != std::string_view::npos &&
         is_scheme(text.substr(0, colon));
}

bool is_media_type(std::string_view text) {
  const std::size_t type = token_bytes(text);
  if (type == 0 || type >= text.size() || text[type] != '/') return false;
  text.remove_prefix(type + 1);
  const std::size_t subtype = token_bytes(text);
  return subtype > 0 && are_parameters(text.substr(subtype));
}

std::size_t allowed_prefix_bytes(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const base::CodePoint point = base::decode_utf8(text.substr(offset));
    const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value <= 0x9F);
    const bool noncharacter =
        (point.value >= 0xFDD0 && point.value <= 0xFDEF) || (point.value & 0xFFFEU) == 0xFFFE;
    if (control || noncharacter || point.length_bytes == 0) break;
    offset += point.length_bytes;
  }
  return offset;
}

}  // namespace weir::event
