// SPDX-License-Identifier: Apache-2.0
// The reference evaluator: what a stateless expression says about an event, by definition.
//
// Two-valued and total: a predicate on a missing value is false, there is no error at run time.
// A predicate on a path with [*] holds if it holds for at least one of the values that the path
// leads to. docs/filters.md has the tables this file implements.
#pragma once

#include <cstdint>
#include <vector>

#include "event/event.h"
#include "filter/ast.h"

namespace weir::filter {

// What a text predicate says of an event.
struct TextVerdict {
  bool holds = false;
  double score = 0;         // 0 for an event without text, of which nothing holds
  std::uint64_t epoch = 0;  // of the statistics that it was scored by; 0: there are none yet

  bool operator==(const TextVerdict&) const = default;
};

// Judges text predicates; whoever keeps the statistics of the stream provides it.
class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual TextVerdict judge(const About& about, const event::Event& event) = 0;
};

// The operand's value in the event, after its conversion. Requires a path without [*].
event::Value resolve(const Operand& operand, const event::Event& event);
// The same of a value inside data.
event::Value convert(const event::JsonRef& json, Operand::Conversion conversion);
// All values of the operand in the event, after its conversion; none of them is missing.
std::vector<event::Value> resolve_all(const Operand& operand, const event::Event& event);

// Requires that the expression holds no change term.
bool evaluate(const Expr& expr, const event::Event& event, Scorer& scorer);
bool evaluate(const Predicate& predicate, const event::Event& event, Scorer& scorer);

// Whether the operator holds between two values; false if either is missing.
bool compare_values(const event::Value& left, CompareOp op, const event::Value& right);

}  // namespace weir::filter
