// SPDX-License-Identifier: Apache-2.0
#include "filter/ast.h"

#include <algorithm>
#include <utility>

namespace weir::filter {
namespace {

bool equal_all(const std::vector<ExprPtr>& left, const std::vector<ExprPtr>& right) {
  return std::ranges::equal(left, right, equal);
}

template <typename Node>
ExprPtr flatten(std::vector<ExprPtr> terms, bool when_empty) {
  std::vector<ExprPtr> flat;
  for (ExprPtr& term : terms) {
    if (const auto* nested = std::get_if<Node>(&term->node)) {
      flat.insert(flat.end(), nested->terms.begin(), nested->terms.end());
    } else {
      flat.push_back(std::move(term));
    }
  }
  if (flat.empty()) return make(Constant{when_empty});
  if (flat.size() == 1) return flat.front();
  return std::make_shared<const Expr>(Expr{Node{std::move(flat)}});
}

}  // namespace

event::Value Literal::view() const {
  return std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return event::Value::of(std::string_view(held));
        } else {
          return event::Value::of(held);
        }
      },
      value);
}

bool equal(const ExprPtr& left, const ExprPtr& right) {
  if (left == right) return true;
  if (left == nullptr || right == nullptr) return false;
  if (left->node.index() != right->node.index()) return false;
  if (const auto* predicate = left->predicate()) return *predicate == *right->predicate();
  if (const auto* negation = std::get_if<Not>(&left->node)) {
    return equal(negation->term, std::get<Not>(right->node).term);
  }
  if (const auto* conjunction = std::get_if<And>(&left->node)) {
    return equal_all(conjunction->terms, std::get<And>(right->node).terms);
  }
  return equal_all(std::get<Or>(left->node).terms, std::get<Or>(right->node).terms);
}

bool Change::operator==(const Change& other) const {
  return value == other.value && keys == other.keys && equal(condition, other.condition) &&
         movement == other.movement && silent_for == other.silent_for &&
         at_most_every == other.at_most_every && with_previous == other.with_previous;
}

ExprPtr make(Predicate predicate) {
  return std::make_shared<const Expr>(Expr{std::move(predicate)});
}

ExprPtr make_not(ExprPtr term) { return std::make_shared<const Expr>(Expr{Not{std::move(term)}}); }

ExprPtr make_and(std::vector<ExprPtr> terms) { return flatten<And>(std::move(terms), true); }

ExprPtr make_or(std::vector<ExprPtr> terms) { return flatten<Or>(std::move(terms), false); }

}  // namespace weir::filter
