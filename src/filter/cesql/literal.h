// SPDX-License-Identifier: Apache-2.0
// String literals of CESQL: '…' and "…". A backslash before the literal's own quote stands for that
// quote; any other backslash is itself, and takes the character after it along, so that the quote
// after an even number of backslashes ends the literal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::filter::cesql {

// Bytes of the literal at the start of the text, quotes included; 0 if it is not closed. Requires
// that the text starts with a quote.
std::size_t string_literal_bytes(std::string_view text);

// The content of a literal, given with its quotes.
std::string unquote(std::string_view literal);

// A literal with that content, in single quotes where they can hold it. Requires the content of
// some literal: one that ends in an odd number of backslashes cannot be written in CESQL.
std::string quote(std::string_view content);

}  // namespace weir::filter::cesql
