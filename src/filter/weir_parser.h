// SPDX-License-Identifier: Apache-2.0
// WeirParser: recursive descent over the weir language; the grammar is in docs/filters.md.
//
// Every method returns the error it met; each error names its place, what was found and what was
// expected there. Depth is bounded, everything else is bounded by the text's length.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "filter/ast.h"
#include "filter/lexer.h"
#include "filter/limits.h"

namespace weir::filter {

class WeirParser {
 public:
  WeirParser(std::string_view text, const FilterLimits& limits) : lexer_(text), limits_(limits) {}

  base::Result<Parsed> parse();

 private:
  template <typename T>
  using Result = base::Result<T>;

  // weir_parser.cc: boolean structure and comparisons
  Result<ExprPtr> disjunction();
  Result<ExprPtr> conjunction();
  Result<ExprPtr> negation();
  Result<ExprPtr> primary();
  Result<ExprPtr> parenthesised();
  Result<ExprPtr> comparison();
  Result<ExprPtr> literal_first();
  Result<ExprPtr> word_operator(const Operand& operand, const Token& left);
  Result<ExprPtr> between(const Operand& operand, const Token& left);
  Result<ExprPtr> in_list(const Operand& operand, const Token& left);
  Result<ExprPtr> string_operator(const Operand& operand, const Token& left);
  std::optional<CompareOp> accept_compare_op();
  Result<Compare> compare(Operand left, CompareOp op);
  base::Error no_operator(const event::Path& left) const;
  std::string is_null_hint(const event::Path& left) const;
  Result<void> finish();

  // weir_operands.cc: paths, conversions, literals
  Result<event::Path> path(std::string_view what = "an attribute or data");
  Result<Operand> operand(std::string_view what = "an attribute or data");
  // Refuses a path with [*].
  Result<void> one_value(const event::Path& path, const Token& token, std::string_view what) const;
  Result<std::vector<Operand>> operands();
  Result<Literal> literal();
  Result<Literal> number_literal();
  Result<double> number(std::string_view what);
  Result<std::string> string(std::string_view what);
  Result<base::Duration> duration();
  bool at_literal() const;

  // weir_terms.cc: exists, text, cesql
  Result<ExprPtr> exists();
  Result<TextField> text_field();
  Result<TextSource> text_source();
  base::Error unknown_language(const Token& token, std::string_view language) const;
  Result<ExprPtr> about();
  Result<void> about_words(About& about);
  Result<void> about_score(About& about);
  Result<ExprPtr> cesql();

  // weir_change.cc
  bool change_ahead() const;
  Result<ExprPtr> change();
  Result<void> change_arguments(Change& change);
  Result<void> change_source(Change& change);
  Result<void> change_condition(Change& change);
  Result<void> change_movement(Change& change);
  Result<void> change_thresholds(Moves& moves);
  Result<void> change_threshold(Moves& moves);
  Result<void> change_level(Crosses& crosses);
  Result<void> change_distance(Rewords& rewords);
  Result<double> amount_not_negative(std::string_view what, std::string_view name);
  Result<void> change_modifiers(Change& change);
  Result<void> change_span(std::span<const std::string_view> words,
                           std::optional<base::Duration>& target);
  Result<void> modifier(std::span<const std::string_view> words, bool repeated);

  // weir_distinct.cc
  Result<Distinct> distinct();
  Result<void> distinct_memory(Distinct& distinct);
  Result<void> distinct_ends(const Distinct& distinct) const;
  Result<double> false_positives();

  // weir_warnings.cc
  void warn_quoted(const Token& right);
  void warn_literal(const Operand& operand, const Token& left, const Literal& literal);
  void warn_string_operator(const Operand& operand, const Token& left, const Token& keyword);
  void warn_change(const Change& change, std::size_t change_bytes, std::size_t movement_bytes);
  void warn_name(const event::Path& path, std::size_t offset_bytes);
  void warn_bare(const event::Path& path, const Token& token);
  void warn_extension(const event::Path& path, const Token& left, event::ValueKind literal);
  void warn_string_attribute(const Token& name);
  void warn(std::size_t offset_bytes, WarningId id, std::string message);

  bool function_ahead(std::string_view word) const;
  bool accept_symbol(std::string_view symbol);
  bool accept_word(std::string_view word);
  Result<void> take_symbol(std::string_view symbol, std::string_view why = {});
  Result<void> take_word(std::string_view word);
  Result<void> deeper(std::size_t offset_bytes);

  base::Error expected(std::string_view what) const;
  base::Error error(base::ErrorId id, std::size_t offset_bytes, std::string message) const;

  Lexer lexer_;
  const FilterLimits& limits_;
  std::size_t depth_ = 0;
  bool negated_ = false;  // under an odd number of nots
  bool inside_change_ = false;
  bool distinct_follows_ = false;
  std::vector<Warning> warnings_;
};

// Parses a filter in the weir language.
base::Result<Parsed> parse_weir(std::string_view text, const FilterLimits& limits = {});

}  // namespace weir::filter
