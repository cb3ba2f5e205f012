// SPDX-License-Identifier: Apache-2.0
#include "match/content/event_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "event/event_testing.h"
#include "filter/evaluate.h"

namespace weir::match::content {
namespace {

using filter::Operand;
using Conversion = filter::Operand::Conversion;

Operand at(std::string_view path, Conversion conversion = Conversion::kNone) {
  return {event::parse_path(path).value(), conversion};
}

// Few paths are looked up in the event, many are walked through with it: both see the same.
class EventValuesTest : public testing::TestWithParam<int> {
 protected:
  EventValuesTest() {
    const std::vector<std::string> prefixes = {"data.x", "data.o.x", "data.list[0].x", "x"};
    for (int i = 0; i < GetParam(); ++i) {
      for (const std::string& prefix : prefixes) add(at(fmt::format("{}{}", prefix, i)));
      add(at(fmt::format("data.list[{}]", i)));
      add(at(fmt::format("data.x{}", i), Conversion::kString));
    }
    add(at("data"));
    add(at("type"));
    add(at("time", Conversion::kString));
  }

  void add(const Operand& operand) {
    operands_.push_back(operand);
    slots_.push_back(vocabulary_.acquire_slot(operand));
    vocabulary_.acquire_point(*point_of(slots_.back(), event::Value::of(std::int64_t{1})));
    vocabulary_.acquire_point(prefix_point(slots_.back(), "t"));
    vocabulary_.acquire_point(suffix_point(slots_.back(), "xt"));
    vocabulary_.acquire_column(column_of(slots_.back(), ColumnKind::kNumber));
    vocabulary_.acquire_column(column_of(slots_.back(), ColumnKind::kTime));
  }

  void expect_values(std::string_view json) {
    const event::EventPtr event = event::event_of(json);
    values_.begin(*event);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const event::Value value = filter::resolve(operands_[i], *event);
      const std::string where = operands_[i].path.to_string() + " in " + std::string(json);
      EXPECT_EQ(event::to_display(values_.value(slots_[i])), event::to_display(value)) << where;
      expect_codes(slots_[i], value, where);
    }
  }

  void expect_codes(SlotId slot, const event::Value& value, const std::string& where) {
    const bool is_one = event::compare(value, event::Value::of(std::int64_t{1})) == 0;
    const PointId one = vocabulary_.points().find(*point_of(slot, event::Value::of(1.0)));
    const Code expected = value.missing() ? kMissingCode : is_one ? point_code(one) : kOtherCode;
    EXPECT_EQ(values_.code(column_of(slot, ColumnKind::kPoint)), expected) << where;
    EXPECT_EQ(has(one), is_one) << where;
    EXPECT_EQ(values_.code(column_of(slot, ColumnKind::kNumber)) != kMissingCode, value.is_number())
        << where;
    EXPECT_EQ(values_.code(column_of(slot, ColumnKind::kTime)) != kMissingCode,
              value.kind() == event::ValueKind::kTimestamp)
        << where;
    const bool is_text = value.kind() == event::ValueKind::kString && value.as_string() == "text";
    EXPECT_EQ(has(vocabulary_.points().find(prefix_point(slot, "t"))),
              is_text ||
                  (value.kind() == event::ValueKind::kString && value.as_string().starts_with("t")))
        << where;
    EXPECT_EQ(has(vocabulary_.points().find(suffix_point(slot, "xt"))), is_text) << where;
  }

  bool has(PointId point) const { return std::ranges::count(values_.points(), point) == 1; }

  Vocabulary vocabulary_;
  EventValues values_{vocabulary_};
  std::vector<Operand> operands_;
  std::vector<SlotId> slots_;
};

TEST_P(EventValuesTest, SeesWhatTheEvaluatorSees) {
  expect_values(R"({"type":"a"})");
  expect_values(R"({"type":"a","x1":"e","x2":5,"time":"2026-01-01T00:00:00Z"})");
  expect_values(R"({"data":{"x0":1,"x2":"s","x11":null,"x1":{"x1":1},"y":2}})");
  expect_values(R"({"data":{"o":{"x0":1,"x3":2.5},"list":[{"x0":true,"x9":1},7,[1]]}})");
  expect_values(R"({"data":{"o":[1],"list":{"x0":1}}})");
  expect_values(R"({"data":[1,2]})");
  expect_values(R"({"data":"text"})");
  expect_values(R"({"type":"text","x0":"text","data":{"x0":"text","x1":1,"o":{"x0":1.0}}})");
  expect_values(R"({"data":null})");
  expect_values(R"({"data_base64":"AAEC"})");
  expect_values(R"({"data":{"x\u0030":"an escaped name"}})");
}

INSTANTIATE_TEST_SUITE_P(PathCounts, EventValuesTest, testing::Values(1, 4, 12));

// Owners that pay for the same array see the same elements.
TEST(EventValuesWorkTest, NoMoreElementsAreLookedAtThanSomebodyPaysFor) {
  constexpr std::size_t kElements = 1000;
  Vocabulary vocabulary;
  EventValues values(vocabulary);
  const SlotId slot = vocabulary.acquire_slot(at("data[*]"));
  vocabulary.acquire_point(*point_of(slot, event::Value::of(std::int64_t{1})));
  std::string json = "1";
  for (std::size_t i = 1; i < kElements; ++i) json += fmt::format(",{}", i);
  const event::EventPtr event = event::event_of(fmt::format(R"({{"data":[{}]}})", json));
  WorkMeter meter(100 * (steps::kElement + steps::kValue));
  const WorkBudgetPtr budget = meter.budget("one");
  values.add_payer(slot, budget.get());
  values.begin(*event);
  EXPECT_TRUE(budget->is_over());
  EXPECT_EQ(values.all(slot).size(), 100U);
  values.add_payer(slot, nullptr);
  meter.begin();
  values.begin(*event);
  EXPECT_EQ(values.all(slot).size(), kElements) << "for somebody whom nobody limits";
}

}  // namespace
}  // namespace weir::match::content
