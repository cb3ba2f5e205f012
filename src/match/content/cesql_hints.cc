// SPDX-License-Identifier: Apache-2.0
#include "match/content/cesql_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace weir::match::content {
namespace {

namespace cesql = filter::cesql;
using filter::Literal;
using filter::Operand;

const cesql::AttributeNode* attribute_in(const cesql::ExpressionPtr& expression) {
  return std::get_if<cesql::AttributeNode>(&expression->node());
}

const std::string* text_in(const cesql::ExpressionPtr& expression) {
  const auto* const literal = std::get_if<cesql::LiteralNode>(&expression->node());
  return literal == nullptr ? nullptr : std::get_if<std::string>(&literal->value);
}

Operand as_text(const cesql::AttributeNode& attribute) {
  return {event::Path::attribute(attribute.name), Operand::Conversion::kString};
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

std::optional<filter::Predicate> equality_hint(const cesql::ChainNode& chain) {
  if (chain.links.size() != 1 || chain.links[0].op != cesql::BinaryOperator::kEqual) {
    return std::nullopt;
  }
  const auto* const attribute = attribute_in(chain.first);
  const auto* const text = text_in(chain.links[0].operand);
  if (attribute == nullptr || text == nullptr) return std::nullopt;
  return filter::Compare{as_text(*attribute), filter::CompareOp::kEqual, Literal{*text}};
}

std::optional<filter::Predicate> list_hint(const cesql::InNode& in) {
  const auto* const attribute = attribute_in(in.operand);
  if (attribute == nullptr || in.negated) return std::nullopt;
  filter::In hint{as_text(*attribute), {}};
  for (const cesql::ExpressionPtr& element : in.elements) {
    const auto* const text = text_in(element);
    if (text == nullptr || !is_only_itself(*text)) return std::nullopt;
    hint.values.push_back(Literal{*text});
  }
  return hint;
}

std::optional<filter::Predicate> hint_of(const cesql::Expression& expression) {
  if (const auto* chain = std::get_if<cesql::ChainNode>(&expression.node())) {
    return equality_hint(*chain);
  }
  if (const auto* in = std::get_if<cesql::InNode>(&expression.node())) return list_hint(*in);
  if (const auto* like = std::get_if<cesql::LikeNode>(&expression.node())) {
    const auto* const attribute = attribute_in(like->operand);
    if (attribute == nullptr || like->negated) return std::nullopt;
    return filter::Like{as_text(*attribute), like->pattern};
  }
  if (const auto* exists = std::get_if<cesql::ExistsNode>(&expression.node())) {
    return filter::Exists{event::Path::attribute(exists->attribute.name)};
  }
  return std::nullopt;
}

void add_hints(const cesql::Expression& expression, std::vector<filter::Predicate>& hints) {
  const auto* const chain = std::get_if<cesql::ChainNode>(&expression.node());
  const bool is_and = chain != nullptr && std::ranges::all_of(chain->links, [](const auto& link) {
                        return link.op == cesql::BinaryOperator::kAnd;
                      });
  if (!is_and) {
    if (auto hint = hint_of(expression)) hints.push_back(*std::move(hint));
    return;
  }
  add_hints(*chain->first, hints);
  for (const auto& link : chain->links) add_hints(*link.operand, hints);
}

}  // namespace

std::vector<filter::Predicate> cesql_hints(const cesql::Expression& expression) {
  std::vector<filter::Predicate> hints;
  add_hints(expression, hints);
  return hints;
}

}  // namespace weir::match::content
