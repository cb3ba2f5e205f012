// SPDX-License-Identifier: Apache-2.0
// The small grammars of HTTP: names in any case, lists, media types, percent-encoding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::server {

// Of ASCII letters only.
bool equals_in_any_case(std::string_view a, std::string_view b);
bool starts_with_in_any_case(std::string_view text, std::string_view prefix);
std::string to_lower(std::string_view text);

// Without blanks and tabs at both ends.
std::string_view trim(std::string_view text);

// Calls visit(element) for each element of a comma-separated list that is not empty, trimmed.
template <typename Visit>
void for_each_in_list(std::string_view list, Visit&& visit) {
  while (!list.empty()) {
    const std::string_view element = list.substr(0, list.find(','));
    list.remove_prefix(element.size() < list.size() ? element.size() + 1 : list.size());
    if (!trim(element).empty()) visit(trim(element));
  }
}

bool list_has(std::string_view list, std::string_view word);

// Nothing if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

struct MediaType {
  std::string type;  // in lower case, as is subtype
  std::string subtype;
  std::string charset;  // in lower case, empty if it is not given

  // JSON by its name: */json or *+json.
  bool is_json() const { return subtype == "json" || subtype.ends_with("+json"); }
};

// Nothing if the text is no media type. Other parameters than charset are passed over.
std::optional<MediaType> parse_media_type(std::string_view text);

}  // namespace weir::server
