// SPDX-License-Identifier: Apache-2.0
#include "match/work_budget.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "filter/evaluate.h"

namespace weir::match {
namespace {

template <typename Use>
void for_each_predicate(const filter::Filter& filter, Use use) {
  for (const filter::Conjunction& conjunction : filter.normal_form().conjunctions) {
    for (const filter::Term& term : conjunction.terms) use(*term.predicate->predicate());
  }
}

// The places that a predicate looks at.
std::vector<filter::Operand> operands_of(const filter::Predicate& predicate) {
  return std::visit(
      [](const auto& one) -> std::vector<filter::Operand> {
        if constexpr (requires { one.operand; }) {
          return {one.operand};
        } else if constexpr (requires { one.left; }) {
          const auto* const right = std::get_if<filter::Operand>(&one.right);
          if (right != nullptr) return {one.left, *right};
          return {one.left};
        } else if constexpr (std::is_same_v<std::decay_t<decltype(one)>, filter::Exists>) {
          return {{one.path}};
        } else {
          return {};
        }
      },
      predicate);
}

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

template <typename Use>
void for_each_change(const filter::Filter& filter, Use use) {
  for (const filter::Conjunction& conjunction : filter.normal_form().conjunctions) {
    for (const filter::ExprPtr& change : conjunction.changes) use(change_of(change));
  }
}

bool is_costly(const filter::Predicate& predicate) {
  if (std::holds_alternative<filter::Like>(predicate) ||
      std::holds_alternative<filter::Cesql>(predicate) ||
      std::holds_alternative<filter::About>(predicate)) {
    return true;
  }
  const std::vector<filter::Operand> operands = operands_of(predicate);
  return operands.size() > 1 || std::ranges::any_of(operands, [](const filter::Operand& operand) {
           return operand.path.is_many();
         });
}

// How many predicates of an expression are costly.
std::size_t costly_count(const filter::Expr& expr) {
  if (const auto* const predicate = expr.predicate()) return is_costly(*predicate) ? 1 : 0;
  if (const auto* const negation = std::get_if<filter::Not>(&expr.node)) {
    return costly_count(*negation->term);
  }
  const auto* const conjunction = std::get_if<filter::And>(&expr.node);
  std::size_t count = 0;
  for (const filter::ExprPtr& term :
       conjunction != nullptr ? conjunction->terms : std::get<filter::Or>(expr.node).terms) {
    count += costly_count(*term);
  }
  return count;
}

std::size_t condition_count(const filter::Filter& filter) {
  std::size_t count = 0;
  for_each_change(filter, [&](const filter::Change& change) {
    if (change.condition != nullptr) count += costly_count(*change.condition);
  });
  return count;
}

std::size_t key_bytes(const std::vector<filter::Operand>& keys, const event::Event& event) {
  std::size_t bytes = 0;
  for (const filter::Operand& key : keys) {
    const event::Value value = filter::resolve(key, event);
    if (value.kind() == event::ValueKind::kString) bytes += value.as_string().size();
  }
  return bytes;
}

}  // namespace

WorkBudget::~WorkBudget() { std::erase(meter_->charged_, this); }

bool WorkBudget::charge(std::uint64_t steps) {
  if (is_over_) return false;
  if (steps_ == 0) meter_->charged_.push_back(this);
  // A charge of nothing still lists it only once.
  steps_ += std::max<std::uint64_t>(steps, 1);
  if (steps_ <= steps_max_) return true;
  is_over_ = true;
  ++cut_count_;
  ++meter_->over_count_;
  ++meter_->counters_.cut_count;
  return false;
}

WorkBudgetPtr WorkMeter::budget(const std::string& owner) {
  if (owner.empty() || steps_max_ == 0) return nullptr;
  if (budgets_.size() >= sweep_at_) {
    std::erase_if(budgets_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * budgets_.size());
  }
  std::weak_ptr<WorkBudget>& known = budgets_[owner];
  if (auto budget = known.lock()) return budget;
  auto made = std::make_shared<WorkBudget>(owner, steps_max_, this);
  known = made;
  return made;
}

void WorkMeter::begin() {
  for (WorkBudget* const budget : charged_) {
    counters_.steps += std::min(budget->steps_, steps_max_);
    budget->steps_ = 0;
    budget->is_over_ = false;
    budget->has_long_keys_ = false;
  }
  charged_.clear();
  over_count_ = 0;
}

bool is_costly(const filter::Filter& filter) {
  return !filter.text_sources().empty() || is_costly_beside_text(filter);
}

bool is_costly_beside_text(const filter::Filter& filter) {
  bool costly = condition_count(filter) > 0;
  for_each_predicate(filter, [&](const filter::Predicate& predicate) {
    costly = costly || (is_costly(predicate) && !std::holds_alternative<filter::About>(predicate));
  });
  return costly;
}

std::uint64_t long_key_steps(const std::vector<filter::Operand>& keys, const event::Event& event) {
  const std::size_t bytes = key_bytes(keys, event);
  return bytes > steps::kLongKeyBytes ? bytes * steps::kKeyByte : 0;
}

std::uint64_t long_key_steps(const filter::Filter& filter, const event::Event& event) {
  std::size_t bytes = 0;
  if (filter.distinct()) bytes += key_bytes(filter.distinct()->keys, event);
  for (const filter::Conjunction& conjunction : filter.normal_form().conjunctions) {
    if (conjunction.changes.empty()) continue;
    bytes += key_bytes(change_of(conjunction.changes.front()).keys, event);
  }
  return bytes > steps::kLongKeyBytes ? bytes * steps::kKeyByte : 0;
}

std::uint64_t condition_steps(const filter::Filter& filter, const event::Event& event) {
  return condition_count(filter) * event.json().size() * steps::kEventByte;
}

std::uint64_t evaluation_steps(const filter::Filter& filter, const event::Event& event) {
  std::uint64_t count = condition_count(filter) + steps::kTextByte * filter.text_sources().size();
  for_each_predicate(
      filter, [&](const filter::Predicate& predicate) { count += is_costly(predicate) ? 1 : 0; });
  return count * event.json().size() * steps::kEventByte;
}

std::vector<filter::Operand> array_operands(const filter::Filter& filter) {
  std::vector<filter::Operand> found;
  for_each_predicate(filter, [&](const filter::Predicate& predicate) {
    for (filter::Operand& operand : operands_of(predicate)) {
      if (operand.path.is_many()) found.push_back(std::move(operand));
    }
  });
  return found;
}

}  // namespace weir::match
