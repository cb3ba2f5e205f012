// SPDX-License-Identifier: Apache-2.0
#include "event/event_rules.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "base/utf8.h"

namespace weir::event {
namespace {

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

// A set of bytes.
class CharSet {
 public:
  constexpr CharSet(std::initializer_list<std::string_view> members) {
    for (const std::string_view some : members) {
      for (const char c : some) contains_[static_cast<unsigned char>(c)] = true;
    }
  }
  constexpr bool contains(char c) const { return contains_[static_cast<unsigned char>(c)]; }
  // How many members the text begins with.
  constexpr std::size_t prefix_bytes(std::string_view text) const {
    std::size_t count = 0;
    while (count < text.size() && contains(text[count])) ++count;
    return count;
  }
  constexpr bool contains_all(std::string_view text) const {
    return prefix_bytes(text) == text.size();
  }

 private:
  std::array<bool, 256> contains_{};
};

constexpr CharSet kNameChars = {kLower, kDigits};
constexpr CharSet kLetters = {kLower, kUpper};
constexpr CharSet kHexDigits = {kDigits, "abcdefABCDEF"};
constexpr CharSet kSchemeChars = {kLower, kUpper, kDigits, "+-."};
// Unreserved and reserved characters of RFC 3986; '%' is checked apart, '#' only counts once.
constexpr CharSet kUriChars = {kLower, kUpper, kDigits, "-._~:/?[]@!$&'()*+,;="};
// A token of RFC 2045 has visible ASCII characters except the separators.
constexpr CharSet kTokenChars = {kLower, kUpper, kDigits, "!#$%&'*+-.^_`{|}~"};

// Checks the rest of a URI from its first '%' or '#' on.
bool has_uri_escapes(std::string_view text) {
  bool fragment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !kHexDigits.contains_all(text.substr(i + 1, 2))) return false;
      i += 2;
    } else if (text[i] == '#') {
      if (std::exchange(fragment, true)) return false;
    } else if (!kUriChars.contains(text[i])) {
      return false;
    }
  }
  return true;
}

bool has_uri_characters(std::string_view text) {
  const std::size_t plain = kUriChars.prefix_bytes(text);
  return plain == text.size() || has_uri_escapes(text.substr(plain));
}

bool is_scheme(std::string_view text) {
  return !text.empty() && kLetters.contains(text[0]) && kSchemeChars.contains_all(text);
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
    const std::size_t name = kTokenChars.prefix_bytes(text);
    if (name == 0 || name >= text.size() || text[name] != '=') return false;
    text.remove_prefix(name + 1);
    const std::size_t value =
        text.starts_with('"') ? quoted_bytes(text) : kTokenChars.prefix_bytes(text);
    if (value == 0) return false;
    text = trim_left(text.substr(value));
  }
  return true;
}

}  // namespace

bool is_attribute_name(std::string_view name) {
  return !name.empty() && kNameChars.contains_all(name);
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
  if (text == "application/json") return true;  // nearly always
  const std::size_t type = kTokenChars.prefix_bytes(text);
  if (type == 0 || type >= text.size() || text[type] != '/') return false;
  text.remove_prefix(type + 1);
  const std::size_t subtype = kTokenChars.prefix_bytes(text);
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
