// SPDX-License-Identifier: Apache-2.0
// The words of the weir language. Keywords are written in any case; the reserved ones cannot name
// an attribute unless in double quotes, the others are special only where the grammar asks for
// them.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace weir::filter {

inline constexpr std::array<std::string_view, 12> kReservedWords = {
    "and",    "or",     "not",    "in",    "between", "like",
    "exists", "prefix", "suffix", "about", "true",    "false"};

// Words that begin a term when '(' follows (timestamp also before a string).
inline constexpr std::array<std::string_view, 7> kFunctionWords = {
    "text", "html", "change", "distinct", "string", "timestamp", "cesql"};

inline constexpr std::array<std::string_view, 6> kOperatorWords = {"in",     "between", "like",
                                                                   "prefix", "suffix",  "not"};

// Equal but for the case of ASCII letters; `keyword` is in lower case.
bool is_keyword(std::string_view word, std::string_view keyword);
bool is_reserved(std::string_view word);

}  // namespace weir::filter
