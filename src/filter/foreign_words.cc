// SPDX-License-Identifier: Apache-2.0
#include "filter/foreign_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "filter/keywords.h"

namespace weir::filter {
namespace {

struct ForeignWord {
  std::string_view word;
  std::string_view written;
};

constexpr std::string_view kPattern =
    "like '...' with % and _, prefix or suffix (there are no regular expressions)";

constexpr auto kForeignWords = std::to_array<ForeignWord>(
    {{"&&", "and"},
     {"&", "and"},
     {"||", "or"},
     {"|", "or"},
     {"!", "not"},
     {"==", "="},
     {"~", kPattern},
     {"=~", kPattern},
     {"!~", kPattern},
     {"matches", kPattern},
     {"regexp", kPattern},
     {"contains", "like '%...%', or [*] = '...' for an element of an array"},
     {"startswith", "prefix"},
     {"endswith", "suffix"}});

}  // namespace

std::string foreign_hint(const Token& token) {
  const bool is_word = token.kind == TokenKind::kWord;
  if (!is_word && token.kind != TokenKind::kSymbol) return {};
  const auto* const found = std::ranges::find_if(kForeignWords, [&](const ForeignWord& row) {
    return is_word ? is_keyword(token.text, row.word) : token.text == row.word;
  });
  if (found == kForeignWords.end()) return {};
  return fmt::format(": '{}' is written {}", token.text, found->written);
}

}  // namespace weir::filter
