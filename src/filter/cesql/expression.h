// SPDX-License-Identifier: Apache-2.0
// Expression: a parsed CESQL expression. Immutable and shared; equal by structure.
//
// Operators of one precedence form one chain, read from left to right, and a chain that starts with
// a chain of its own precedence is one with it: `(a + b) - c` is `a + b - c`. So a text with
// thousands of operators makes a flat tree, and what recurses over a tree is bounded by its height,
// which the parser bounds by CesqlLimits::depth_max.
//
//   1 + 2 * -x = 7 OR EXISTS y        chain OR
//                                     |- chain =
//                                     |  |- chain +  (1, chain * (2, unary - (x)))
//                                     |  `- 7
//                                     `- EXISTS y
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "event/path.h"
#include "filter/cesql/scalar.h"
#include "filter/like.h"

namespace weir::filter::cesql {

class Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;
struct Function;

enum class UnaryOperator : std::uint8_t { kNot, kMinus };

enum class BinaryOperator : std::uint8_t {
  kAnd,
  kOr,
  kXor,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
};

std::string_view to_string(UnaryOperator op);
std::string_view to_string(BinaryOperator op);

// How tightly a node holds together, loosest first.
enum class Precedence : std::uint8_t {
  kLogic,           // AND OR XOR, all alike
  kComparison,      // = != < <= > >=
  kAdditive,        // + -
  kMultiplicative,  // * / %
  kPostfix,         // LIKE, IN
  kUnary,           // NOT, -
  kPrimary,         // literals, attributes, EXISTS, calls
};

Precedence precedence_of(BinaryOperator op);

struct LiteralNode {
  CesqlValue value;

  bool operator==(const LiteralNode&) const = default;
};

struct AttributeNode {
  std::string name;  // in lower case
  event::CoreAttribute core;

  bool operator==(const AttributeNode&) const = default;
};

struct ExistsNode {
  AttributeNode attribute;

  bool operator==(const ExistsNode&) const = default;
};

struct UnaryNode {
  UnaryOperator op;
  ExpressionPtr operand;

  bool operator==(const UnaryNode& other) const;
};

struct ChainNode {
  struct Link {
    BinaryOperator op;
    ExpressionPtr operand;

    bool operator==(const Link& other) const;
  };

  ExpressionPtr first;
  std::vector<Link> links;  // at least one, all of one precedence

  bool operator==(const ChainNode& other) const;
};

struct LikeNode {
  ExpressionPtr operand;
  LikePattern pattern;
  bool negated;

  bool operator==(const LikeNode& other) const;
};

struct InNode {
  ExpressionPtr operand;
  std::vector<ExpressionPtr> elements;  // at least one
  bool negated;

  bool operator==(const InNode& other) const;
};

struct CallNode {
  std::string name;          // in upper case
  const Function* function;  // null: no function of that name takes so many arguments
  std::vector<ExpressionPtr> arguments;
  base::Position position;  // of the name; makes no difference to equality

  bool operator==(const CallNode& other) const;
};

class Expression {
 public:
  using Node = std::variant<LiteralNode, AttributeNode, ExistsNode, UnaryNode, ChainNode, LikeNode,
                            InNode, CallNode>;

  explicit Expression(Node node);

  const Node& node() const { return node_; }
  Precedence precedence() const { return precedence_; }
  // Longest way down to a leaf, which itself counts one. The list of IN counts one, and a chain of
  // AND, OR and XOR one for each change of operator, since the canonical text has parentheses
  // there: it never nests deeper than this.
  std::size_t height() const { return height_; }

  // The type of the value on every event; nothing if it depends on the event.
  std::optional<CesqlType> static_type() const;

  bool operator==(const Expression& other) const { return node_ == other.node_; }

 private:
  Node node_;
  Precedence precedence_;
  std::size_t height_;
};

ExpressionPtr make_expression(Expression::Node node);
AttributeNode make_attribute(std::string_view name);
// One chain, with `first` merged into it if it is a chain of the same precedence.
ExpressionPtr make_chain(ExpressionPtr first, std::vector<ChainNode::Link> links);

// Calls visit(const ExpressionPtr&) for each operand, element or argument, in the order of the
// text.
template <typename Visit>
void for_each_child(const Expression& expression, Visit&& visit) {
  if (const auto* unary = std::get_if<UnaryNode>(&expression.node())) {
    visit(unary->operand);
  } else if (const auto* chain = std::get_if<ChainNode>(&expression.node())) {
    visit(chain->first);
    for (const ChainNode::Link& link : chain->links) visit(link.operand);
  } else if (const auto* like = std::get_if<LikeNode>(&expression.node())) {
    visit(like->operand);
  } else if (const auto* in = std::get_if<InNode>(&expression.node())) {
    visit(in->operand);
    for (const ExpressionPtr& element : in->elements) visit(element);
  } else if (const auto* call = std::get_if<CallNode>(&expression.node())) {
    for (const ExpressionPtr& argument : call->arguments) visit(argument);
  }
}

// The names of all attributes that the expression looks at, EXISTS included; ascending, each once.
std::vector<std::string> attributes_used(const Expression& expression);

}  // namespace weir::filter::cesql
