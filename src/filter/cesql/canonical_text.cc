// SPDX-License-Identifier: Apache-2.0
#include "filter/cesql/canonical_text.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "filter/cesql/literal.h"

namespace weir::filter::cesql {
namespace {

class Writer {
 public:
  void write(const Expression& expression) {
    std::visit([this](const auto& node) { write_node(node); }, expression.node());
  }

  std::string take() { return std::move(out_); }

 private:
  // In parentheses if it binds more loosely than its place asks for.
  void write_at(const Expression& expression, Precedence loosest) {
    const bool loose = expression.precedence() < loosest;
    if (loose) out_ += '(';
    write(expression);
    if (loose) out_ += ')';
  }

  void write_node(const LiteralNode& literal) {
    if (const auto* text = std::get_if<std::string>(&literal.value)) {
      out_ += quote(*text);
    } else if (const auto* integer = std::get_if<std::int32_t>(&literal.value)) {
      out_ += std::to_string(*integer);
    } else {
      out_ += std::get<bool>(literal.value) ? "TRUE" : "FALSE";
    }
  }

  void write_node(const AttributeNode& attribute) { out_ += attribute.name; }

  void write_node(const ExistsNode& exists) { out_ += "EXISTS " + exists.attribute.name; }

  void write_node(const UnaryNode& unary) {
    out_ += to_string(unary.op);
    if (unary.op == UnaryOperator::kNot) out_ += ' ';
    // Minus a positive literal is not the negative literal.
    const auto* literal = std::get_if<LiteralNode>(&unary.operand->node());
    const bool positive = literal != nullptr &&
                          std::holds_alternative<std::int32_t>(literal->value) &&
                          std::get<std::int32_t>(literal->value) >= 0;
    if (unary.op == UnaryOperator::kMinus && positive) {
      out_ += '(';
      write(*unary.operand);
      out_ += ')';
    } else {
      write_at(*unary.operand, Precedence::kUnary);
    }
  }

  void write_node(const ChainNode& chain) {
    const Precedence own = precedence_of(chain.links.front().op);
    const auto tighter = static_cast<Precedence>(static_cast<int>(own) + 1);
    const std::size_t start = out_.size();
    std::string opening;
    write_at(*chain.first, tighter);
    for (std::size_t i = 0; i < chain.links.size(); ++i) {
      const ChainNode::Link& link = chain.links[i];
      if (own == Precedence::kLogic && i > 0 && link.op != chain.links[i - 1].op) {
        opening += '(';
        out_ += ')';
      }
      out_ += ' ';
      out_ += to_string(link.op);
      out_ += ' ';
      write_at(*link.operand, tighter);
    }
    out_.insert(start, opening);
  }

  void write_node(const LikeNode& like) {
    write_at(*like.operand, Precedence::kPostfix);
    out_ += like.negated ? " NOT LIKE " : " LIKE ";
    out_ += quote(like.pattern.text());
  }

  void write_node(const InNode& in) {
    write_at(*in.operand, Precedence::kPostfix);
    out_ += in.negated ? " NOT IN " : " IN ";
    write_list(in.elements);
  }

  void write_node(const CallNode& call) {
    out_ += call.name;
    write_list(call.arguments);
  }

  void write_list(const std::vector<ExpressionPtr>& elements) {
    out_ += '(';
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out_ += ", ";
      write(*elements[i]);
    }
    out_ += ')';
  }

  std::string out_;
};

}  // namespace

std::string to_text(const Expression& expression) {
  Writer writer;
  writer.write(expression);
  return writer.take();
}

}  // namespace weir::filter::cesql
