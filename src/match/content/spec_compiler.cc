// SPDX-License-Identifier: Apache-2.0
#include "match/content/spec_compiler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "match/content/cesql_hints.h"
#include "match/content/record_store.h"

namespace weir::match::content {
namespace {

using event::Value;
using event::ValueKind;
using filter::CompareOp;
using filter::Literal;
using filter::Operand;

// A negated list of up to so many values becomes tests.
constexpr std::size_t kNegatedPointCountMax = 4;

// One side of a range.
struct Bound {
  ColumnKind kind;
  Code code;
  bool between;                  // places: a value of this code may lie on either side
  std::optional<double> number;  // if it is one that a double holds
};

// Nothing for what is no number or timestamp.
std::optional<Bound> bound_of(const Value& value) {
  if (value.is_number() && !std::isnan(value.as_number())) {
    const Code code = number_code(value);
    const double number = value.as_number();
    const bool is_double = event::compare(value, Value::of(number)) == 0;
    return Bound{ColumnKind::kNumber, code, is_between(code),
                 is_double ? std::optional(number) : std::nullopt};
  }
  if (value.kind() != ValueKind::kTimestamp) return std::nullopt;
  const Code code = time_code(value.as_timestamp());
  return Bound{ColumnKind::kTime, code, is_between(code), std::nullopt};
}

struct Range {
  ColumnKind kind;
  Code low = 1;
  Code high = std::numeric_limits<Code>::max();
  bool low_between = false;
  bool high_between = false;
  std::optional<RangeDetail> detail = RangeDetail();  // nothing: its bounds are no doubles

  void set_low(const Bound& bound, bool open) {
    low = bound.code + (open && !bound.between ? 1 : 0);
    low_between = bound.between;
    if (!bound.between || !detail) return;
    if (!bound.number) return detail.reset();
    detail->has_low = true;
    detail->low_open = open;
    detail->low_fraction = number_fraction(*bound.number);
  }
  void set_high(const Bound& bound, bool open) {
    high = bound.code - (open && !bound.between ? 1 : 0);
    high_between = bound.between;
    if (!bound.between || !detail) return;
    if (!bound.number) return detail.reset();
    detail->has_high = true;
    detail->high_open = open;
    detail->high_fraction = number_fraction(*bound.number);
  }
  bool has_ties() const { return low_between || high_between; }
};

std::optional<Range> range_of(const filter::Compare& compare) {
  const auto bound = bound_of(std::get<Literal>(compare.right).view());
  if (!bound) return std::nullopt;
  Range range{bound->kind};
  const bool open = compare.op == CompareOp::kLess || compare.op == CompareOp::kGreater;
  if (compare.op == CompareOp::kLess || compare.op == CompareOp::kLessEqual) {
    range.set_high(*bound, open);
  } else {
    range.set_low(*bound, open);
  }
  return range;
}

std::optional<Range> range_of(const filter::Between& between) {
  const auto low = bound_of(between.low.view());
  const auto high = bound_of(between.high.view());
  if (!low || !high || low->kind != high->kind) return std::nullopt;
  if (!(event::compare(between.low.view(), between.high.view()) <= 0)) return std::nullopt;
  Range range{low->kind};
  range.set_low(*low, false);
  range.set_high(*high, false);
  return range;
}

// Terms lie apart in memory: all are asked for before the first is looked at.
void prefetch(const filter::Expr& expr) {
  constexpr std::size_t kLineBytes = 64;
  const auto* const bytes = reinterpret_cast<const char*>(&expr);
  for (std::size_t i = 0; i < sizeof expr; i += kLineBytes) __builtin_prefetch(bytes + i);
}

// What is not in the range, with what may be; nothing if that is everything.
std::optional<Range> complement(const Range& range) {
  Range rest = range;
  rest.low = range.high + (range.high_between ? 0 : 1);
  rest.high = range.low - (range.low_between ? 0 : 1);
  const bool is_everything = range.low == range.high && (range.low_between || range.high_between);
  const bool meets = rest.high + 1 == rest.low;
  if (is_everything || meets) return std::nullopt;
  if (rest.detail) rest.detail->negated = true;
  return rest;
}

}  // namespace

// Collects what the terms of one conjunction become.
class SpecCompiler::Terms {
 public:
  // Appends tests.
  Terms(Vocabulary& vocabulary, const filter::FilterPtr& filter, std::vector<CodeTest>& tests)
      : vocabulary_(vocabulary), filter_(filter), tests_(tests), tests_begin_(tests.size()) {}

  void add(const filter::Term& term) {
    negated_ = term.negated;
    predicate_ = term.predicate->predicate();
    std::visit(*this, *predicate_);
  }

  SpecBatch::Conjunction finish() {
    if (!has_way()) add_present_door();
    if (extra_) std::ranges::sort(extra_->checks, {}, &Check::cost_rank);
    put_points_first();
    return {tests_begin_, test_count(), std::move(extra_)};
  }

  void operator()(const filter::Compare& compare) {
    const auto* const literal = std::get_if<Literal>(&compare.right);
    if (literal == nullptr) return add_slot_check(compare);
    if (compare.op == CompareOp::kEqual || compare.op == CompareOp::kNotEqual) {
      return add_equality(compare, *literal);
    }
    add_range(compare.left, range_of(compare));
  }

  void operator()(const filter::Between& between) { add_range(between.operand, range_of(between)); }

  void operator()(const filter::In& in) {
    const SlotId slot = vocabulary_.acquire_slot(in.operand);
    std::vector<PointId> points;
    add_points(slot, in, points);
    make_unique(points);
    add_list(slot, points);
    vocabulary_.release_slot(slot);
  }

  void operator()(const filter::Like& like) {
    const SlotId slot = vocabulary_.acquire_slot(like.operand);
    const bool is_fixed = like.pattern.is_fixed();
    const auto fixed = point_of(slot, Value::of(like.pattern.fixed_start()));
    if (is_fixed && like.operand.path.is_many()) {
      add_check(slot);
      if (!negated_) add_door(*fixed);
    } else if (is_fixed) {
      add_point_test(slot, vocabulary_.acquire_point(*fixed));
    } else {
      add_check(slot);
      const std::string_view start = like.pattern.fixed_start();
      const std::string_view end = like.pattern.fixed_end();
      if (!negated_ && !start.empty()) add_door({prefix_point(slot, start)});
      if (!negated_ && !end.empty()) add_door({suffix_point(slot, end)});
    }
    vocabulary_.release_slot(slot);
  }

  void operator()(const filter::Affix& affix) {
    const SlotId slot = vocabulary_.acquire_slot(affix.operand);
    add_check(slot);
    const bool at_start = affix.side == filter::Affix::Side::kPrefix;
    if (!negated_) {
      add_door({at_start ? prefix_point(slot, affix.text) : suffix_point(slot, affix.text)});
    }
    vocabulary_.release_slot(slot);
  }

  void operator()(const filter::Exists& exists) {
    const SlotId slot = vocabulary_.acquire_slot({exists.path});
    add_presence(slot, !negated_);
    vocabulary_.release_slot(slot);
  }

  void operator()(const filter::Cesql& cesql) {
    add_check(kNoId);
    if (negated_) return;
    is_hint_ = true;
    for (const CesqlHint& hint : cesql_hints(*cesql.expression)) {
      if (hint.size() == 1) {
        std::visit(*this, hint[0]);
      } else {
        add_door_of_any(hint);
      }
    }
    is_hint_ = false;
  }

  // Text; constants and change terms are no terms of a normal form.
  void operator()(const auto& /*other*/) { add_check(kNoId); }

 private:
  Extra& extra() {
    if (!extra_) extra_ = std::make_unique<Extra>();
    return *extra_;
  }

  std::size_t test_count() const { return tests_.size() - tests_begin_; }

  // In their order. They are cheap and mostly rare, and whoever walks through tests of many
  // conjunctions can foresee better what comes next. A detail stays behind its range.
  void put_points_first() {
    const auto begin = tests_.begin() + static_cast<std::ptrdiff_t>(tests_begin_);
    auto points_end = begin;
    for (auto test = begin; test != tests_.end(); ++test) {
      if (test->is_point()) std::rotate(points_end++, test, test + 1);
    }
  }

  // Of the predicate at hand. A hint need not be checked.
  void add_check(SlotId slot, SlotId right = kNoId, const Door& points = {}) {
    if (is_hint_) return;
    extra().filter = filter_;
    extra().checks.emplace_back(Check::Source{.predicate = predicate_,
                                              .negated = negated_,
                                              .slot = slot,
                                              .right = right,
                                              .points_begin = points.points_begin,
                                              .point_count = points.point_count});
    hold(slot);
    hold(right);
    if (!negated_ && slot != kNoId) wanted_ = slot;
  }

  void hold(SlotId slot) {
    if (slot == kNoId) return;
    vocabulary_.acquire_column(column_of(slot, ColumnKind::kPoint));
    extra().slots.push_back(slot);
  }

  void add_slot_check(const filter::Compare& compare) {
    const SlotId left = vocabulary_.acquire_slot(compare.left);
    const SlotId right = vocabulary_.acquire_slot(std::get<Operand>(compare.right));
    add_check(left, right);
    vocabulary_.release_slot(left);
    vocabulary_.release_slot(right);
  }

  // A test that cannot be kept becomes a check.
  bool can_test(ColumnId column, std::size_t count = 1) const {
    return column < kColumnBound && test_count() + count <= RecordStore::kTestCountMax;
  }

  // Takes over the point.
  void add_point_test(SlotId slot, PointId point) {
    const ColumnId column = column_of(slot, ColumnKind::kPoint);
    if (!can_test(column)) {
      add_check(slot);
      return negated_ ? vocabulary_.release_point(point) : add_door(point);
    }
    const Code code = point_code(point);
    tests_.push_back(negated_ ? CodeTest::not_equal(column, code) : CodeTest::equal(column, code));
  }

  void add_presence(SlotId slot, bool present) {
    const ColumnId column = column_of(slot, ColumnKind::kPoint);
    if (!can_test(column)) return add_check(slot);
    vocabulary_.acquire_column(column);
    tests_.push_back(present ? CodeTest::not_equal(column, kMissingCode)
                             : CodeTest::equal(column, kMissingCode));
    if (present) wanted_ = slot;
  }

  void add_equality(const filter::Compare& compare, const Literal& literal) {
    const SlotId slot = vocabulary_.acquire_slot(compare.left);
    const auto view = point_of(slot, literal.view());
    const bool is_equal = compare.op == CompareOp::kEqual;
    if (compare.left.path.is_many()) {
      add_check(slot);
      if (view && is_equal && !negated_) add_door(*view);
    } else if (view && is_equal) {
      add_point_test(slot, vocabulary_.acquire_point(*view));
    } else if (view && !negated_ && can_test(column_of(slot, ColumnKind::kPoint))) {
      // x != c: a value, and another one.
      negated_ = true;
      add_point_test(slot, vocabulary_.acquire_point(*view));
      negated_ = false;
      add_presence(slot, true);
    } else {
      add_check(slot);
    }
    vocabulary_.release_slot(slot);
  }

  void add_range(const Operand& operand, std::optional<Range> range) {
    const SlotId slot = vocabulary_.acquire_slot(operand);
    if (operand.path.is_many()) {
      add_check(slot);
      add_range_door(slot, range);
      return vocabulary_.release_slot(slot);
    }
    if (range && negated_) range = complement(*range);
    if (range && can_test(column_of(slot, range->kind), 2)) {
      const ColumnId column = column_of(slot, range->kind);
      vocabulary_.acquire_column(column);
      tests_.push_back(CodeTest::range(column, range->low, range->high));
      if (range->has_ties() && range->detail) {
        tests_.push_back(CodeTest::detail(*range->detail));
      } else if (range->has_ties()) {
        add_tie_check(slot);
      }
    } else {
      add_check(slot);
    }
    vocabulary_.release_slot(slot);
  }

  // Several values may be in and beyond the range: the test leads here, and a check decides.
  void add_range_door(SlotId slot, const std::optional<Range>& range) {
    if (!range || negated_ || !can_test(column_of(slot, range->kind))) return;
    const ColumnId column = column_of(slot, range->kind);
    vocabulary_.acquire_column(column);
    // One code alone would be a test of equality, which several values do not pass.
    const Code high = range->high + (range->low == range->high ? 1 : 0);
    tests_.push_back(CodeTest::range(column, range->low, high));
  }

  void add_tie_check(SlotId slot) {
    extra().filter = filter_;
    extra().tie_checks.emplace_back(
        Check::Source{.predicate = predicate_, .negated = negated_, .slot = slot});
    hold(slot);
  }

  // Takes over the points.
  void add_list(SlotId slot, const std::vector<PointId>& points) {
    const bool few = !vocabulary_.operands().is_many(slot) &&
                     (points.size() == 1 || (negated_ && points.size() <= kNegatedPointCountMax));
    const bool fits = can_test(column_of(slot, ColumnKind::kPoint), points.size());
    if (few && fits && !points.empty()) {
      for (const PointId point : points) add_point_test(slot, point);
      return;
    }
    const Door door = keep(points);
    add_check(slot, kNoId, door);
    if (!negated_) extra().doors.push_back(door);
  }

  Door keep(const std::vector<PointId>& points) {
    std::vector<PointId>& kept = extra().points;
    const Door door{static_cast<std::uint32_t>(kept.size()),
                    static_cast<std::uint32_t>(points.size())};
    kept.insert(kept.end(), points.begin(), points.end());
    return door;
  }

  // Acquires the points of which an event has one if the condition holds for it.
  void add_points(SlotId slot, const filter::In& in, std::vector<PointId>& points) {
    for (const Literal& literal : in.values) {
      const auto view = point_of(slot, literal.view());
      if (view) points.push_back(vocabulary_.acquire_point(*view));
    }
  }
  void add_points(SlotId slot, const filter::Like& like, std::vector<PointId>& points) {
    const std::string_view start = like.pattern.fixed_start();
    const PointView point = like.pattern.is_fixed() ? *point_of(slot, Value::of(start))
                            : start.empty()         ? suffix_point(slot, like.pattern.fixed_end())
                                                    : prefix_point(slot, start);
    points.push_back(vocabulary_.acquire_point(point));
  }
  void add_points(SlotId slot, const filter::Exists& /*exists*/, std::vector<PointId>& points) {
    points.push_back(vocabulary_.acquire_point(present_point(slot)));
  }

  // Each is acquired once.
  void make_unique(std::vector<PointId>& points) {
    std::ranges::sort(points);
    std::size_t count = 0;
    for (const PointId point : points) {
      if (count > 0 && points[count - 1] == point) {
        vocabulary_.release_point(point);
      } else {
        points[count++] = point;
      }
    }
    points.resize(count);
  }

  // Conditions of which one must hold.
  void add_door_of_any(const CesqlHint& hint) {
    std::vector<PointId> points;
    for (const CesqlCondition& condition : hint) {
      const SlotId slot = vocabulary_.acquire_slot(operand_of(condition));
      std::visit([&](const auto& what) { add_points(slot, what, points); }, condition);
      vocabulary_.release_slot(slot);
    }
    make_unique(points);
    extra().doors.push_back(keep(points));
  }

  void add_door(const PointView& view) { add_door(vocabulary_.acquire_point(view)); }
  // Takes over the point.
  void add_door(PointId point) { extra().doors.push_back(keep({point})); }

  bool has_way() const {
    if (extra_ && !extra_->doors.empty()) return true;
    return std::ranges::any_of(std::span(tests_).subspan(tests_begin_), [](const CodeTest& test) {
      return test.is_point() || test.is_range();
    });
  }

  void add_present_door() {
    if (wanted_ != kNoId) add_door(present_point(wanted_));
  }

  Vocabulary& vocabulary_;
  const filter::FilterPtr& filter_;
  const filter::Predicate* predicate_ = nullptr;
  bool negated_ = false;
  bool is_hint_ = false;
  SlotId wanted_ = kNoId;         // in which a matching event has a value
  std::vector<CodeTest>& tests_;  // of the batch; from tests_begin_ on those of the conjunction
  std::size_t tests_begin_;
  std::unique_ptr<Extra> extra_;
};

void SpecCompiler::compile(SubscriptionId id, const filter::FilterPtr& filter, SpecBatch& batch) {
  const auto& conjunctions = filter->normal_form().conjunctions;
  batch.subscriptions.push_back(
      {id, filter->has_change(), batch.conjunctions.size(), conjunctions.size()});
  for (const filter::Conjunction& conjunction : conjunctions) {
    Terms terms(vocabulary_, filter, batch.tests);
    for (const filter::Term& term : conjunction.terms) prefetch(*term.predicate);
    for (const filter::Term& term : conjunction.terms) terms.add(term);
    batch.conjunctions.push_back(terms.finish());
  }
}

void SpecCompiler::release(std::span<const CodeTest> tests, const Extra* extra) {
  for (const CodeTest& test : tests) {
    if (test.is_detail()) continue;
    const Code point = test.point();
    if (point != kMissingCode) {
      vocabulary_.release_point(point - kPointCodeMin);
    } else {
      vocabulary_.release_column(test.column);
    }
  }
  if (extra == nullptr) return;
  for (const PointId point : extra->points) vocabulary_.release_point(point);
  for (const SlotId slot : extra->slots) {
    vocabulary_.release_column(column_of(slot, ColumnKind::kPoint));
  }
}

}  // namespace weir::match::content
