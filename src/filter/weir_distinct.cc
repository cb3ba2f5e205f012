// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;

// A hundredth of a number as it is written: 0.07% is the double next to 0.0007, and 0.07 / 100 is
// another. Zero if that is too small for a double.
double hundredth(std::string_view decimal) {
  const std::size_t mark = std::min(decimal.find_first_of("eE"), decimal.size());
  std::string_view digits = decimal.substr(mark);
  digits.remove_prefix(std::min(digits.find_first_not_of("eE+"), digits.size()));
  std::int32_t exponent = 0;  // and stays so if it is beyond that, since the rest is zero then
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  const std::string shifted =
      fmt::format("{}e{}", decimal.substr(0, mark), std::int64_t{exponent} - 2);
  double value = 0;
  std::from_chars(shifted.data(), shifted.data() + shifted.size(), value);
  return value;
}

}  // namespace

base::Result<Distinct> WeirParser::distinct() {
  lexer_.take();
  Distinct distinct;
  auto keys = operands();
  if (!keys) return keys.error();
  distinct.keys = std::move(*keys);
  if (auto ok = take_word("within"); !ok) return ok.error();
  auto within = duration();
  if (!within) return within.error();
  distinct.within = *within;
  distinct.refresh = accept_word("refresh");
  if (auto ok = distinct_memory(distinct); !ok) return ok.error();
  if (auto ok = distinct_ends(distinct); !ok) return ok.error();
  return distinct;
}

base::Result<void> WeirParser::distinct_memory(Distinct& distinct) {
  if (lexer_.peek().word("false")) {
    auto share = false_positives();
    if (!share) return share.error();
    distinct.false_positives_max = *share;
    return {};
  }
  distinct.exact = accept_word("exact");
  if (!distinct.exact) distinct.verify = accept_word("verify");
  return {};
}

base::Result<double> WeirParser::false_positives() {
  lexer_.take();
  if (!accept_word("positives")) return expected("'positives' after 'false'");
  if (auto ok = take_symbol("<=", " after 'false positives'"); !ok) return ok.error();
  Token written = lexer_.peek();
  auto share = number("the share of false positives, a number or a percentage such as 0.1%");
  if (!share) return share;
  if (lexer_.peek().symbol("%")) {
    share = hundredth(written.text);
    const Token percent = lexer_.take();
    written.text =
        lexer_.text().substr(written.offset_bytes, percent.offset_bytes + 1 - written.offset_bytes);
  }
  if (*share < kFalsePositivesMin || *share > kFalsePositivesMax) {
    return error(ErrorId::kFilterLiteral, written.offset_bytes,
                 fmt::format("expected a share of false positives from {} to {}, found {}",
                             kFalsePositivesMin, kFalsePositivesMax, describe(written)));
  }
  return share;
}

// Says of a word of the clause that stands behind it why it cannot.
base::Result<void> WeirParser::distinct_ends(const Distinct& distinct) const {
  const Token token = lexer_.peek();
  const bool refresh = token.word("refresh");
  const bool exact = token.word("exact");
  const bool share = token.word("false");
  const bool verify = token.word("verify");
  if (!refresh && !exact && !share && !verify) return {};
  const bool twice = (refresh && distinct.refresh) || (exact && distinct.exact) ||
                     (share && distinct.false_positives_max) || (verify && distinct.verify);
  std::string why;
  if (twice) {
    why = fmt::format("'{}' stands twice", share ? "false positives" : token.text);
  } else if (refresh) {
    why = "'refresh' comes right after the duration";
  } else if ((share && distinct.verify) || (verify && distinct.false_positives_max)) {
    why = "'false positives' and 'verify' exclude each other: what is verified has none";
  } else if (verify || distinct.verify) {
    why = "'exact' and 'verify' exclude each other: what is exact needs no verification";
  } else {
    why = "'exact' and 'false positives' exclude each other: what is exact has none";
  }
  return error(ErrorId::kFilterSyntax, token.offset_bytes, std::move(why));
}

}  // namespace weir::filter
