// SPDX-License-Identifier: Apache-2.0
#include "filter/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "filter/cesql/evaluator.h"
#include "filter/evaluate.h"
#include "filter/print.h"
#include "filter/settle.h"

namespace weir::filter {
namespace {

constexpr std::size_t kShownBytesMax = 120;
constexpr std::size_t kShownValueCountMax = 8;  // of a path with [*]

std::string shown(const event::Value& value) {
  std::string text = event::to_display(value);
  if (text.size() <= kShownBytesMax) return text;
  return fmt::format("{}...", base::utf8_prefix(text, kShownBytesMax));
}

event::Value view(const cesql::CesqlValue& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return event::Value::of(*boolean);
  if (const auto* text = std::get_if<std::string>(&value)) {
    return event::Value::of(std::string_view(*text));
  }
  return event::Value::of(std::int64_t{std::get<std::int32_t>(value)});
}

// Text predicates are explained apart and never reach the evaluator.
class NoScorer final : public Scorer {
 public:
  TextVerdict judge(const About&, const event::Event&) override { return {}; }
};

class Explainer {
 public:
  Explainer(const event::Event& event, ExplainContext& context)
      : event_(event), context_(context) {}

  Explanation explain(const Expr& expr) {
    Explanation out;
    out.text = to_text(expr);
    if (const auto* predicate = expr.predicate()) {
      explain(*predicate, out);
    } else if (const auto* negation = std::get_if<Not>(&expr.node)) {
      out.parts.push_back(explain(*negation->term));
      out.holds = !out.parts[0].holds;
    } else if (const auto* conjunction = std::get_if<And>(&expr.node)) {
      add_parts(conjunction->terms, out);
      out.holds = std::ranges::all_of(out.parts, &Explanation::holds);
    } else {
      add_parts(std::get<Or>(expr.node).terms, out);
      out.holds = std::ranges::any_of(out.parts, &Explanation::holds);
    }
    return out;
  }

 private:
  void add_parts(const std::vector<ExprPtr>& terms, Explanation& out) {
    for (const ExprPtr& term : terms) out.parts.push_back(explain(*term));
  }

  void explain(const Predicate& predicate, Explanation& out) {
    if (const auto* about = std::get_if<About>(&predicate)) {
      take(context_.about(*about, event_), out);
    } else if (const auto* change = std::get_if<Change>(&predicate)) {
      take(context_.change(*change, event_), out);
    } else if (const auto* cesql = std::get_if<Cesql>(&predicate)) {
      const cesql::Evaluation result = cesql::evaluate(*cesql->expression, event_);
      out.holds = cesql::passes(*cesql->expression, event_);
      out.detail = result.errors.empty()
                       ? fmt::format("the value is {}", shown(view(result.value)))
                       : fmt::format("{} error: {}", to_string(result.errors[0].kind),
                                     result.errors[0].message);
    } else {
      NoScorer none;
      out.holds = evaluate(predicate, event_, none);
      // Tells which element of an array decided.
      out.detail = values(out.holds ? settle(predicate, event_).value_or(predicate) : predicate);
    }
  }

  static void take(ExplainContext::Verdict verdict, Explanation& out) {
    out.holds = verdict.holds;
    out.detail = std::move(verdict.detail);
  }

  std::string values(const Predicate& predicate) const {
    return std::visit(
        [this](const auto& one) -> std::string {
          if constexpr (requires { one.operand; }) return value(one.operand);
          if constexpr (requires { one.path; }) return value(Operand{one.path});
          if constexpr (requires { one.left; }) {
            const auto* const right = std::get_if<Operand>(&one.right);
            return right == nullptr ? value(one.left) : value(one.left) + ", " + value(*right);
          }
          return {};
        },
        predicate);
  }

  std::string value(const Operand& operand) const {
    if (operand.path.is_many()) return all_values(operand);
    return fmt::format("{} is {}", to_text(operand), shown(resolve(operand, event_)));
  }

  std::string all_values(const Operand& operand) const {
    const std::vector<event::Value> found = resolve_all(operand, event_);
    if (found.empty()) return fmt::format("{} is missing", to_text(operand));
    std::string list;
    for (std::size_t i = 0; i < found.size() && i < kShownValueCountMax; ++i) {
      list += (i == 0 ? "" : ", ") + shown(found[i]);
    }
    if (found.size() > kShownValueCountMax) {
      list += fmt::format(" and {} more", found.size() - kShownValueCountMax);
    }
    return fmt::format("{} is {}", to_text(operand), list);
  }

  const event::Event& event_;
  ExplainContext& context_;
};

// A part decides if its parent does and it agrees with its parent's result (under not: opposes it).
void mark(Explanation& node, const Expr& expr) {
  node.decided = true;
  if (const auto* negation = std::get_if<Not>(&expr.node)) {
    mark(node.parts[0], *negation->term);
    return;
  }
  const auto* const conjunction = std::get_if<And>(&expr.node);
  const auto* const disjunction = std::get_if<Or>(&expr.node);
  if (conjunction == nullptr && disjunction == nullptr) return;
  const auto& terms = conjunction != nullptr ? conjunction->terms : disjunction->terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (node.parts[i].holds == node.holds) mark(node.parts[i], *terms[i]);
  }
}

}  // namespace

Explanation explain(const Expr& expr, const event::Event& event, ExplainContext& context) {
  Explanation out = Explainer(event, context).explain(expr);
  mark(out, expr);
  return out;
}

}  // namespace weir::filter
