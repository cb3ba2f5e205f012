// SPDX-License-Identifier: Apache-2.0
#include "match/content/cesql_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace weir::match::content {
namespace {

namespace cesql = filter::cesql;
using cesql::BinaryOperator;
using event::CoreAttribute;
using event::Path;
using filter::Literal;
using filter::Operand;

using Hints = std::vector<CesqlHint>;

void append(Hints& hints, CesqlHint hint) {
  if (hints.size() < kCesqlHintCountMax) hints.push_back(std::move(hint));
}

const cesql::AttributeNode* attribute_in(const cesql::ExpressionPtr& expression) {
  return std::get_if<cesql::AttributeNode>(&expression->node());
}

const std::string* text_in(const cesql::ExpressionPtr& expression) {
  const auto* const literal = std::get_if<cesql::LiteralNode>(&expression->node());
  return literal == nullptr ? nullptr : std::get_if<std::string>(&literal->value);
}

bool is_in_every_event(const cesql::AttributeNode& attribute) {
  return attribute.core == CoreAttribute::kSpecversion || attribute.core == CoreAttribute::kId ||
         attribute.core == CoreAttribute::kSource || attribute.core == CoreAttribute::kType;
}

Operand as_text(const cesql::AttributeNode& attribute) {
  return {Path::attribute(attribute.name), Operand::Conversion::kString};
}

// False if an attribute that is a number or a boolean could equal the text without being written
// like it: '+1', '01', 'TRUE'.
bool is_only_itself(const std::string& text) {
  if (const auto number = cesql::parse_integer(text)) return fmt::format("{}", *number) == text;
  const auto is_word = [&](std::string_view word) {
    return text.size() == word.size() &&
           std::ranges::equal(text, word, [](char a, char b) { return (a | 0x20) == b; });
  };
  return text == "true" || text == "false" || (!is_word("true") && !is_word("false"));
}

// The left side is cast to what the right one is: an attribute to a text, which tells all texts
// apart, or a text to what an attribute is, which does not.
std::optional<CesqlCondition> equality_condition(const cesql::ExpressionPtr& left,
                                                 const cesql::ExpressionPtr& right) {
  const bool is_reversed = attribute_in(left) == nullptr;
  const auto* const attribute = attribute_in(is_reversed ? right : left);
  const auto* const text = text_in(is_reversed ? left : right);
  if (attribute == nullptr || text == nullptr) return std::nullopt;
  if (is_reversed && !is_only_itself(*text)) return std::nullopt;
  return filter::In{as_text(*attribute), {Literal{*text}}};
}

std::optional<CesqlCondition> condition_of(const cesql::ChainNode& chain) {
  if (chain.links.size() != 1 || chain.links[0].op != BinaryOperator::kEqual) return std::nullopt;
  return equality_condition(chain.first, chain.links[0].operand);
}

std::optional<CesqlCondition> condition_of(const cesql::InNode& in) {
  const auto* const attribute = attribute_in(in.operand);
  if (attribute == nullptr || in.negated) return std::nullopt;
  filter::In condition{as_text(*attribute), {}};
  for (const cesql::ExpressionPtr& element : in.elements) {
    const auto* const text = text_in(element);
    if (text == nullptr || !is_only_itself(*text)) return std::nullopt;
    condition.values.push_back(Literal{*text});
  }
  return condition;
}

std::optional<CesqlCondition> condition_of(const cesql::LikeNode& like) {
  const auto* const attribute = attribute_in(like.operand);
  if (attribute == nullptr || like.negated) return std::nullopt;
  const bool is_open = !like.pattern.is_fixed() && like.pattern.fixed_start().empty() &&
                       like.pattern.fixed_end().empty();
  if (is_open) return std::nullopt;
  return filter::Like{as_text(*attribute), like.pattern};
}

std::optional<CesqlCondition> condition_of(const cesql::ExistsNode& exists) {
  if (is_in_every_event(exists.attribute)) return std::nullopt;
  return filter::Exists{Path::attribute(exists.attribute.name)};
}

std::optional<CesqlCondition> condition_of(const auto& /*other*/) { return std::nullopt; }

// Appends a hint for each attribute that is read whenever the expression is evaluated. The depth is
// that of the expression, which is bounded.
class Reads {
 public:
  explicit Reads(Hints& hints) : hints_(hints) {}

  void add(const cesql::Expression& expression) { std::visit(*this, expression.node()); }

  void operator()(const cesql::LiteralNode& /*literal*/) {}
  void operator()(const cesql::ExistsNode& /*exists*/) {}
  void operator()(const cesql::AttributeNode& attribute) {
    if (is_in_every_event(attribute)) return;
    append(hints_, {filter::Exists{Path::attribute(attribute.name)}});
  }
  void operator()(const cesql::UnaryNode& unary) { add(*unary.operand); }
  void operator()(const cesql::LikeNode& like) { add(*like.operand); }
  // The elements are read until one is equal.
  void operator()(const cesql::InNode& in) { add(*in.operand); }
  void operator()(const cesql::CallNode& call) {
    for (const cesql::ExpressionPtr& argument : call.arguments) add(*argument);
  }
  // What is right of AND or OR is read only if the left does not decide.
  void operator()(const cesql::ChainNode& chain) {
    add(*chain.first);
    for (const cesql::ChainNode::Link& link : chain.links) {
      if (link.op != BinaryOperator::kAnd && link.op != BinaryOperator::kOr) add(*link.operand);
    }
  }

 private:
  Hints& hints_;
};

// How little a hint says, by the weakest of its conditions: a value, a pattern, that there is one.
std::size_t weakness(const CesqlHint& hint) {
  std::size_t weakest = 0;
  for (const CesqlCondition& condition : hint) weakest = std::max(weakest, condition.index());
  return weakest;
}

CesqlHint take_strongest(Hints& hints) {
  return std::move(*std::ranges::min_element(
      hints, {}, [](const CesqlHint& hint) { return std::pair(weakness(hint), hint.size()); }));
}

// What must hold if one side does.
Hints either(Hints left, Hints right) {
  if (left.empty() || right.empty()) return {};
  CesqlHint hint = take_strongest(left);
  std::ranges::move(take_strongest(right), std::back_inserter(hint));
  if (hint.size() > kCesqlAlternativeCountMax) return {};
  return {std::move(hint)};
}

bool is_logic(const cesql::ChainNode& chain) {
  return cesql::precedence_of(chain.links[0].op) == cesql::Precedence::kLogic;
}

Hints hints_of(const cesql::Expression& expression);

Hints hints_of_logic(const cesql::ChainNode& chain) {
  Hints hints = hints_of(*chain.first);
  for (const cesql::ChainNode::Link& link : chain.links) {
    Hints more = hints_of(*link.operand);
    if (link.op == BinaryOperator::kAnd) {
      for (CesqlHint& hint : more) append(hints, std::move(hint));
    } else {
      hints = either(std::move(hints), std::move(more));
    }
  }
  return hints;
}

Hints hints_of(const cesql::Expression& expression) {
  Hints hints;
  const auto* const chain = std::get_if<cesql::ChainNode>(&expression.node());
  if (chain != nullptr && is_logic(*chain)) {
    hints = hints_of_logic(*chain);
  } else if (auto condition = std::visit([](const auto& node) { return condition_of(node); },
                                         expression.node())) {
    hints.push_back({*std::move(condition)});
  }
  Reads(hints).add(expression);
  return hints;
}

// Whether a hint says that there is a value which another one says more about, or an earlier one
// the same.
bool is_spare(const Hints& hints, const CesqlHint& hint) {
  if (hint.size() > 1 || !std::holds_alternative<filter::Exists>(hint[0])) return false;
  return std::ranges::any_of(hints, [&](const CesqlHint& other) {
    if (other.size() > 1 || operand_of(other[0]).path != operand_of(hint[0]).path) return false;
    return !std::holds_alternative<filter::Exists>(other[0]) || &other < &hint;
  });
}

}  // namespace

Operand operand_of(const CesqlCondition& condition) {
  if (const auto* in = std::get_if<filter::In>(&condition)) return in->operand;
  if (const auto* like = std::get_if<filter::Like>(&condition)) return like->operand;
  return {std::get<filter::Exists>(condition).path};
}

std::vector<CesqlHint> cesql_hints(const cesql::Expression& expression) {
  const Hints all = hints_of(expression);
  Hints hints;
  std::ranges::copy_if(all, std::back_inserter(hints),
                       [&](const CesqlHint& hint) { return !is_spare(all, hint); });
  return hints;
}

}  // namespace weir::match::content
