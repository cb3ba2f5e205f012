// SPDX-License-Identifier: Apache-2.0
// All small filters on all small events: every way to combine up to two predicates over two
// attributes by and, or and not, against a definition of its own, written once more from the
// tables in docs/filters.md.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "event/event_testing.h"
#include "filter/evaluate.h"
#include "filter/filter_testing.h"
#include "filter/normal_form.h"
#include "filter/print.h"

namespace weir::filter {
namespace {

// The world: attributes a and b, each missing, 1, 2, 'x' or 'y'.
using SmallValue = std::variant<std::monostate, int, char>;
struct SmallEvent {
  SmallValue a;
  SmallValue b;
};
constexpr std::array<SmallValue, 5> kValues = {SmallValue(), SmallValue(1), SmallValue(2),
                                               SmallValue('x'), SmallValue('y')};

// A predicate's text and what it means.
struct SmallPredicate {
  std::string text;
  std::function<bool(const SmallEvent&)> holds;
};

std::string json_of(const SmallValue& value) {
  if (const int* number = std::get_if<int>(&value)) return std::to_string(*number);
  return std::string("\"") + std::get<char>(value) + "\"";
}

event::EventPtr event_of(const SmallEvent& small) {
  std::string members;
  if (small.a.index() != 0) members += "\"a\":" + json_of(small.a);
  if (small.a.index() != 0 && small.b.index() != 0) members += ",";
  if (small.b.index() != 0) members += "\"b\":" + json_of(small.b);
  return event::event_of("{" + members + "}");
}

// -1, 0, 1, or nothing for values that have no order.
std::optional<int> order(const SmallValue& left, const SmallValue& right) {
  if (left.index() != right.index() || left.index() == 0) return std::nullopt;
  if (left < right) return -1;
  return left == right ? 0 : 1;
}

bool compare(const SmallValue& left, const std::string& op, const SmallValue& right) {
  if (left.index() == 0 || right.index() == 0) return false;
  const std::optional<int> by = order(left, right);
  if (op == "!=") return by != 0;
  if (!by) return false;
  if (op == "=") return *by == 0;
  if (op == "<") return *by < 0;
  if (op == "<=") return *by <= 0;
  return op == ">" ? *by > 0 : *by >= 0;
}

void add_predicates_on(const std::string& name, SmallValue SmallEvent::* member,
                       std::vector<SmallPredicate>& out) {
  const std::array<std::pair<std::string, SmallValue>, 2> literals = {
      {{"1", SmallValue(1)}, {"'y'", SmallValue('y')}}};
  for (const auto& [text, value] : literals) {
    for (const std::string op : {"=", "!=", "<", "<=", ">", ">="}) {
      out.push_back({name + " " + op + " " + text,
                     [=](const SmallEvent& event) { return compare(event.*member, op, value); }});
    }
  }
  out.push_back(
      {"exists " + name, [=](const SmallEvent& event) { return (event.*member).index() != 0; }});
  out.push_back({name + " in (2, 'x')", [=](const SmallEvent& event) {
                   return event.*member == SmallValue(2) || event.*member == SmallValue('x');
                 }});
  out.push_back({name + " between 1 and 2",
                 [=](const SmallEvent& event) { return (event.*member).index() == 1; }});
  out.push_back(
      {name + " like '_'", [=](const SmallEvent& event) { return (event.*member).index() == 2; }});
}

std::vector<SmallPredicate> all_predicates() {
  std::vector<SmallPredicate> out;
  add_predicates_on("a", &SmallEvent::a, out);
  add_predicates_on("b", &SmallEvent::b, out);
  for (const std::string op : {"=", "!=", "<"}) {
    out.push_back(
        {"a " + op + " b", [=](const SmallEvent& event) { return compare(event.a, op, event.b); }});
  }
  out.push_back({"true", [](const SmallEvent&) { return true; }});
  return out;
}

struct World {
  std::vector<SmallEvent> small;
  std::vector<event::EventPtr> events;
};

World all_events() {
  World world;
  for (const SmallValue& a : kValues) {
    for (const SmallValue& b : kValues) {
      world.small.push_back({a, b});
      world.events.push_back(event_of(world.small.back()));
    }
  }
  return world;
}

// The filter's tree and its normal form say of every event what the truth says.
void check(const World& world, const std::string& text, const std::vector<bool>& truth) {
  const FilterPtr filter = filter_of(text);
  const ExprPtr normal = to_expr(filter->normal_form());
  FixedScorer scorer;
  for (std::size_t i = 0; i < world.events.size(); ++i) {
    const event::Event& event = *world.events[i];
    ASSERT_EQ(evaluate(*filter->expr(), event, scorer), truth[i]) << text << "\n" << event.json();
    ASSERT_EQ(evaluate(*normal, event, scorer), truth[i]) << text << "\n"
                                                          << to_text(*normal) << "\n"
                                                          << event.json();
  }
}

std::vector<bool> truth_of(const World& world, const SmallPredicate& predicate, bool negated) {
  std::vector<bool> truth;
  for (const SmallEvent& event : world.small) truth.push_back(predicate.holds(event) != negated);
  return truth;
}

TEST(FilterExhaustiveTest, OnePredicate) {
  const World world = all_events();
  for (const SmallPredicate& predicate : all_predicates()) {
    check(world, predicate.text, truth_of(world, predicate, false));
    check(world, "not " + predicate.text, truth_of(world, predicate, true));
    check(world, "not not " + predicate.text, truth_of(world, predicate, false));
  }
}

// [not] ([not] p and|or [not] q), for all p and q.
TEST(FilterExhaustiveTest, TwoPredicates) {
  const World world = all_events();
  const std::vector<SmallPredicate> predicates = all_predicates();
  for (const SmallPredicate& p : predicates) {
    for (const SmallPredicate& q : predicates) {
      for (unsigned choice = 0; choice < 16; ++choice) {
        const bool not_p = (choice & 1U) != 0;
        const bool not_q = (choice & 2U) != 0;
        const bool both = (choice & 4U) != 0;
        const bool not_all = (choice & 8U) != 0;
        const std::string inner = (not_p ? "not " : "") + p.text + (both ? " and " : " or ") +
                                  (not_q ? "not " : "") + q.text;
        const std::vector<bool> left = truth_of(world, p, not_p);
        const std::vector<bool> right = truth_of(world, q, not_q);
        std::vector<bool> truth;
        for (std::size_t i = 0; i < left.size(); ++i) {
          const bool one = both ? left[i] && right[i] : left[i] || right[i];
          truth.push_back(one != not_all);
        }
        check(world, not_all ? "not (" + inner + ")" : inner, truth);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace weir::filter
