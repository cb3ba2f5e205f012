// SPDX-License-Identifier: Apache-2.0
#include "server/http_text.h"

#include <algorithm>

namespace weir::server {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// Takes `;name=value` from the front of the text, which begins with the semicolon. A quoted value
// keeps its quotes.
std::string_view take_parameter(std::string_view& text) {
  std::size_t end = 1;
  bool quoted = false;
  for (; end < text.size() && (quoted || text[end] != ';'); ++end) {
    if (text[end] == '"') quoted = !quoted;
    if (quoted && text[end] == '\\') ++end;
  }
  end = std::min(end, text.size());
  const std::string_view parameter = trim(text.substr(1, end - 1));
  text.remove_prefix(end);
  return parameter;
}

std::string unquote(std::string_view value) {
  if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"')) {
    return std::string(value);
  }
  return std::string(value.substr(1, value.size() - 2));
}

}  // namespace

bool equals_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool starts_with_in_any_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equals_in_any_case(text.substr(0, prefix.size()), prefix);
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool list_has(std::string_view list, std::string_view word) {
  bool found = false;
  for_each_in_list(
      list, [&](std::string_view element) { found = found || equals_in_any_case(element, word); });
  return found;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

std::optional<MediaType> parse_media_type(std::string_view text) {
  text = trim(text);
  const std::string_view essence = trim(text.substr(0, text.find(';')));
  const std::size_t slash = essence.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  MediaType media = {.type = to_lower(essence.substr(0, slash)),
                     .subtype = to_lower(essence.substr(slash + 1)),
                     .charset = {}};
  if (!is_token(media.type) || !is_token(media.subtype)) return std::nullopt;
  std::string_view rest = text.substr(std::min(text.find(';'), text.size()));
  while (!rest.empty()) {
    const std::string_view parameter = take_parameter(rest);
    if (parameter.empty()) continue;
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    if (equals_in_any_case(parameter.substr(0, equals), "charset")) {
      media.charset = to_lower(unquote(parameter.substr(equals + 1)));
    }
  }
  return media;
}

}  // namespace weir::server
