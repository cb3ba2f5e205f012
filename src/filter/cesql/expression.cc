// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/expression.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "filter/cesql/functions.h"

namespace weir::filter::cesql {
namespace {

struct OperatorInfo {
  std::string_view text;
  Precedence precedence;
};

// In the order of BinaryOperator.
constexpr auto kOperators = std::to_array<OperatorInfo>({
    {"AND", Precedence::kLogic},
    {"OR", Precedence::kLogic},
    {"XOR", Precedence::kLogic},
    {"=", Precedence::kComparison},
    {"!=", Precedence::kComparison},
    {"<", Precedence::kComparison},
    {"<=", Precedence::kComparison},
    {">", Precedence::kComparison},
    {">=", Precedence::kComparison},
    {"+", Precedence::kAdditive},
    {"-", Precedence::kAdditive},
    {"*", Precedence::kMultiplicative},
    {"/", Precedence::kMultiplicative},
    {"%", Precedence::kMultiplicative},
});

const OperatorInfo& info(BinaryOperator op) { return kOperators[static_cast<std::size_t>(op)]; }

Precedence node_precedence(const Expression::Node& node) {
  if (const auto* chain = std::get_if<ChainNode>(&node)) {
    return precedence_of(chain->links.front().op);
  }
  if (std::holds_alternative<LikeNode>(node) || std::holds_alternative<InNode>(node)) {
    return Precedence::kPostfix;
  }
  return std::holds_alternative<UnaryNode>(node) ? Precedence::kUnary : Precedence::kPrimary;
}

bool equal(const ExpressionPtr& left, const ExpressionPtr& right) {
  return left == right || *left == *right;
}

std::size_t operator_changes(const Expression::Node& node) {
  const auto* chain = std::get_if<ChainNode>(&node);
  if (chain == nullptr || node_precedence(node) != Precedence::kLogic) return 0;
  std::size_t count = 0;
  for (std::size_t i = 1; i < chain->links.size(); ++i) {
    if (chain->links[i].op != chain->links[i - 1].op) ++count;
  }
  return count;
}

void collect_attributes(const Expression& expression, std::vector<std::string>& names) {
  if (const auto* attribute = std::get_if<AttributeNode>(&expression.node())) {
    names.push_back(attribute->name);
  } else if (const auto* exists = std::get_if<ExistsNode>(&expression.node())) {
    names.push_back(exists->attribute.name);
  }
  for_each_child(expression,
                 [&](const ExpressionPtr& child) { collect_attributes(*child, names); });
}

}  // namespace

std::string_view to_string(UnaryOperator op) { return op == UnaryOperator::kNot ? "NOT" : "-"; }

std::string_view to_string(BinaryOperator op) { return info(op).text; }

Precedence precedence_of(BinaryOperator op) { return info(op).precedence; }

bool UnaryNode::operator==(const UnaryNode& other) const {
  return op == other.op && equal(operand, other.operand);
}

bool ChainNode::Link::operator==(const Link& other) const {
  return op == other.op && equal(operand, other.operand);
}

bool ChainNode::operator==(const ChainNode& other) const {
  return equal(first, other.first) && links == other.links;
}

bool LikeNode::operator==(const LikeNode& other) const {
  return negated == other.negated && pattern == other.pattern && equal(operand, other.operand);
}

bool InNode::operator==(const InNode& other) const {
  return negated == other.negated && equal(operand, other.operand) &&
         std::ranges::equal(elements, other.elements, equal);
}

bool CallNode::operator==(const CallNode& other) const {
  return name == other.name && std::ranges::equal(arguments, other.arguments, equal);
}

Expression::Expression(Node node)
    : node_(std::move(node)), precedence_(node_precedence(node_)), height_(0) {
  const bool is_in = std::holds_alternative<InNode>(node_);
  std::size_t index = 0;
  for_each_child(*this, [&](const ExpressionPtr& child) {
    const bool listed = is_in && index++ > 0;
    height_ = std::max(height_, child->height() + (listed ? 1 : 0));
  });
  height_ += 1 + operator_changes(node_);
}

std::optional<CesqlType> Expression::static_type() const {
  if (const auto* literal = std::get_if<LiteralNode>(&node_)) return type_of(literal->value);
  if (std::holds_alternative<AttributeNode>(node_)) return std::nullopt;
  if (const auto* call = std::get_if<CallNode>(&node_)) {
    return call->function == nullptr ? CesqlType::kBoolean : call->function->result;
  }
  if (const auto* unary = std::get_if<UnaryNode>(&node_)) {
    return unary->op == UnaryOperator::kNot ? CesqlType::kBoolean : CesqlType::kInteger;
  }
  const bool arithmetic =
      precedence_ == Precedence::kAdditive || precedence_ == Precedence::kMultiplicative;
  return arithmetic ? CesqlType::kInteger : CesqlType::kBoolean;
}

ExpressionPtr make_expression(Expression::Node node) {
  return std::make_shared<const Expression>(std::move(node));
}

AttributeNode make_attribute(std::string_view name) {
  return {std::string(name), event::core_attribute(name)};
}

ExpressionPtr make_chain(ExpressionPtr first, std::vector<ChainNode::Link> links) {
  const auto* inner = std::get_if<ChainNode>(&first->node());
  if (inner == nullptr || first->precedence() != precedence_of(links.front().op)) {
    return make_expression(ChainNode{std::move(first), std::move(links)});
  }
  std::vector<ChainNode::Link> merged = inner->links;
  merged.insert(merged.end(), std::make_move_iterator(links.begin()),
                std::make_move_iterator(links.end()));
  return make_expression(ChainNode{inner->first, std::move(merged)});
}

std::vector<std::string> attributes_used(const Expression& expression) {
  std::vector<std::string> names;
  collect_attributes(expression, names);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

}  // namespace weir::filter::cesql
