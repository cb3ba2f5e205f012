// SPDX-License-Identifier: Apache-2.0
#include "match/content/cesql_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

#include "filter/cesql/scalar.h"

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

const cesql::CesqlValue* literal_in(const cesql::ExpressionPtr& expression) {
  const auto* const literal = std::get_if<cesql::LiteralNode>(&expression->node());
  return literal == nullptr ? nullptr : &literal->value;
}

bool is_in_every_event(const cesql::AttributeNode& attribute) {
  return attribute.core == CoreAttribute::kSpecversion || attribute.core == CoreAttribute::kId ||
         attribute.core == CoreAttribute::kSource || attribute.core == CoreAttribute::kType;
}

Operand as_text(const cesql::AttributeNode& attribute) {
  return {Path::attribute(attribute.name), Operand::Conversion::kString};
}

// Appends the texts of all attributes that equal a value once it is cast to what they are: '+1' is
// also the number 1, and 'TRUE' what is true.
void add_texts(const cesql::CesqlValue& value, std::vector<Literal>& texts) {
  using cesql::CesqlType;
  const auto first = static_cast<std::ptrdiff_t>(texts.size());
  for (const CesqlType type : {CesqlType::kString, CesqlType::kInteger, CesqlType::kBoolean}) {
    auto cast = cesql::Scalar::borrow(value);
    if (!cast.cast(type) || !cast.cast(CesqlType::kString)) continue;
    Literal text{std::string(cast.string())};
    const bool is_new = std::find(texts.begin() + first, texts.end(), text) == texts.end();
    if (is_new) texts.push_back(std::move(text));
  }
}

// An attribute that equals a value once it is cast to what that is. Of the texts that are read as a
// number, '7', '+7' and '007', all end alike; what is true and what is false are 1 and 0.
CesqlHint equality_hint(const cesql::AttributeNode& attribute, const cesql::CesqlValue& value) {
  const Operand operand = as_text(attribute);
  if (const auto* const text = std::get_if<std::string>(&value)) {
    return {filter::In{operand, {Literal{*text}}}};
  }
  const auto* const number = std::get_if<std::int32_t>(&value);
  if (number == nullptr) return {};
  const std::string end = fmt::format("%{}", std::abs(std::int64_t{*number}));
  CesqlHint hint{filter::Like{operand, filter::LikePattern::compile(end)}};
  if (*number == 0 || *number == 1) {
    hint.emplace_back(filter::In{operand, {Literal{std::string(*number == 1 ? "true" : "false")}}});
  }
  return hint;
}

// One condition, or several of which one must hold; none if nothing is known.
CesqlHint hint_of(const cesql::ChainNode& chain) {
  if (chain.links.size() != 1 || chain.links[0].op != BinaryOperator::kEqual) return {};
  const cesql::ExpressionPtr& right = chain.links[0].operand;
  const auto* const left_attribute = attribute_in(chain.first);
  const auto* const right_value = literal_in(right);
  if (left_attribute != nullptr && right_value != nullptr) {
    return equality_hint(*left_attribute, *right_value);
  }
  const auto* const right_attribute = attribute_in(right);
  const auto* const left_value = literal_in(chain.first);
  if (right_attribute == nullptr || left_value == nullptr) return {};
  filter::In condition{as_text(*right_attribute), {}};
  add_texts(*left_value, condition.values);
  return {std::move(condition)};
}

CesqlHint hint_of(const cesql::InNode& in) {
  const auto* const attribute = attribute_in(in.operand);
  if (attribute == nullptr || in.negated) return {};
  if (in.elements.size() > kCesqlAlternativeCountMax) return {};
  filter::In condition{as_text(*attribute), {}};
  for (const cesql::ExpressionPtr& element : in.elements) {
    const auto* const value = literal_in(element);
    if (value == nullptr) return {};
    add_texts(*value, condition.values);
  }
  return {std::move(condition)};
}

CesqlHint hint_of(const cesql::LikeNode& like) {
  const auto* const attribute = attribute_in(like.operand);
  if (attribute == nullptr || like.negated) return {};
  const bool is_open = !like.pattern.is_fixed() && like.pattern.fixed_start().empty() &&
                       like.pattern.fixed_end().empty();
  if (is_open) return {};
  return {filter::Like{as_text(*attribute), like.pattern}};
}

CesqlHint hint_of(const cesql::ExistsNode& exists) {
  if (is_in_every_event(exists.attribute)) return {};
  return {filter::Exists{Path::attribute(exists.attribute.name)}};
}

CesqlHint hint_of(const auto& /*other*/) { return {}; }

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
  } else {
    CesqlHint hint = std::visit([](const auto& node) { return hint_of(node); }, expression.node());
    if (!hint.empty()) hints.push_back(std::move(hint));
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
