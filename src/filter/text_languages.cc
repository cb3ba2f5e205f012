// SPDX-License-Identifier: Apache-2.0
#include "filter/text_languages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace weir::filter {
namespace {

constexpr std::size_t kSubtagBytesMax = 8;
constexpr std::size_t kTextBytesMax = 64;

// The codes of the languages that Snowball knows, ascending; those of ISO 639-2 for bibliographies
// as well, and those that BCP 47 has replaced.
constexpr auto kCodes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ar", "arabic"},     {"ara", "arabic"},     {"arm", "armenian"},  {"baq", "basque"},
    {"ca", "catalan"},    {"cat", "catalan"},    {"da", "danish"},     {"dan", "danish"},
    {"de", "german"},     {"deu", "german"},     {"dut", "dutch"},     {"el", "greek"},
    {"ell", "greek"},     {"en", "english"},     {"eng", "english"},   {"es", "spanish"},
    {"eu", "basque"},     {"eus", "basque"},     {"fi", "finnish"},    {"fin", "finnish"},
    {"fr", "french"},     {"fra", "french"},     {"fre", "french"},    {"ga", "irish"},
    {"ger", "german"},    {"gle", "irish"},      {"gre", "greek"},     {"hi", "hindi"},
    {"hin", "hindi"},     {"hu", "hungarian"},   {"hun", "hungarian"}, {"hy", "armenian"},
    {"hye", "armenian"},  {"id", "indonesian"},  {"in", "indonesian"}, {"ind", "indonesian"},
    {"it", "italian"},    {"ita", "italian"},    {"ji", "yiddish"},    {"lit", "lithuanian"},
    {"lt", "lithuanian"}, {"mo", "romanian"},    {"mol", "romanian"},  {"nb", "norwegian"},
    {"ne", "nepali"},     {"nep", "nepali"},     {"nl", "dutch"},      {"nld", "dutch"},
    {"nn", "norwegian"},  {"nno", "norwegian"},  {"no", "norwegian"},  {"nob", "norwegian"},
    {"nor", "norwegian"}, {"por", "portuguese"}, {"pt", "portuguese"}, {"ro", "romanian"},
    {"ron", "romanian"},  {"ru", "russian"},     {"rum", "romanian"},  {"rus", "russian"},
    {"spa", "spanish"},   {"sr", "serbian"},     {"srp", "serbian"},   {"sv", "swedish"},
    {"swe", "swedish"},   {"ta", "tamil"},       {"tam", "tamil"},     {"tr", "turkish"},
    {"tur", "turkish"},   {"yi", "yiddish"},     {"yid", "yiddish"},
});
static_assert(std::ranges::is_sorted(kCodes));

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Subtags of one to eight letters and digits, each behind a hyphen.
bool are_subtags(std::string_view rest) {
  while (!rest.empty()) {
    if (rest[0] != '-') return false;
    rest.remove_prefix(1);
    const std::size_t length = std::min(rest.find('-'), rest.size());
    if (length == 0 || length > kSubtagBytesMax) return false;
    if (!std::ranges::all_of(rest.substr(0, length), is_alphanumeric)) return false;
    rest.remove_prefix(length);
  }
  return true;
}

std::string_view name_of_tag(std::string_view tag) {
  const std::size_t length = std::min(tag.find('-'), tag.size());
  const std::string_view code = tag.substr(0, length);
  const auto* const found =
      std::ranges::lower_bound(kCodes, code, {}, [](const auto& row) { return row.first; });
  if (found == kCodes.end() || found->first != code) return {};
  return are_subtags(tag.substr(length)) ? found->second : std::string_view();
}

}  // namespace

std::span<const std::string_view> text_languages() {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"arabic",    "armenian",   "basque",  "catalan",    "danish",     "dutch",
       "english",   "finnish",    "french",  "german",     "greek",      "hindi",
       "hungarian", "indonesian", "irish",   "italian",    "lithuanian", "nepali",
       "none",      "norwegian",  "porter",  "portuguese", "romanian",   "russian",
       "serbian",   "spanish",    "swedish", "tamil",      "turkish",    "yiddish"});
  static_assert(std::ranges::is_sorted(kNames));
  return kNames;
}

std::optional<std::string> text_language(std::string_view tag_or_name) {
  if (tag_or_name.size() > kTextBytesMax) return std::nullopt;
  std::string wanted(tag_or_name);
  for (char& c : wanted) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  if (const std::string_view name = name_of_tag(wanted); !name.empty()) wanted = name;
  if (!std::ranges::binary_search(text_languages(), std::string_view(wanted))) return std::nullopt;
  return wanted;
}

}  // namespace weir::filter
