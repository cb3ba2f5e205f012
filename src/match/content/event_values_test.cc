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

TEST(OperandTableTest, ASlotLivesAsLongAsItIsUsed) {
  OperandTable table;
  const SlotId slot = table.acquire(at("data.a.b[3]"));
  EXPECT_EQ(table.acquire(at("data.a.b[3]")), slot);
  EXPECT_NE(table.acquire(at("data.a.b[3]", Conversion::kString)), slot);
  EXPECT_EQ(table.find(at("data.a.b[3]")), slot);
  EXPECT_EQ(table.find(at("data.a.b")), kNoId);
  EXPECT_EQ(table.find(at("data.a.b", Conversion::kString)), kNoId);
  EXPECT_FALSE(table.release(at("data.a.b[3]")));
  EXPECT_EQ(table.release(at("data.a.b[3]")), slot);
  EXPECT_EQ(table.slot_count(), 1U);
}

TEST(OperandTableTest, NodesAreUsedAgain) {
  OperandTable table;
  for (int i = 0; i < 100; ++i) {
    const Operand inside = at(fmt::format("data.a.m{}[{}]", i, i));
    const Operand attribute = at(fmt::format("x{}", i));
    table.acquire(inside);
    table.acquire(attribute);
    table.add_access(table.find(inside));
    table.remove_access(table.find(inside));
    EXPECT_TRUE(table.release(inside));
    EXPECT_TRUE(table.release(attribute));
  }
  EXPECT_EQ(table.slot_count(), 0U);
  EXPECT_LE(table.node_bound(), 6U);
  EXPECT_TRUE(table.node(OperandTable::kData).children.empty());
}

TEST(OperandTableTest, AMemberAndAnAttributeOfOneNameAreApart) {
  OperandTable table;
  EXPECT_NE(table.acquire(at("a")), table.acquire(at("data.a")));
  EXPECT_NE(table.acquire(at("data['0']")), table.acquire(at("data[0]")));
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
    const SlotId slot = table_.acquire(operand);
    if (slot % 2 == 0) table_.add_access(slot);
  }

  void expect_values(std::string_view json) {
    const event::EventPtr event = event::event_of(json);
    values_.begin(*event);
    std::vector<SlotId> expected;
    for (const Operand& operand : operands_) {
      const event::Value value = filter::resolve(operand, *event);
      const SlotId slot = table_.find(operand);
      EXPECT_EQ(event::to_display(values_.value(slot)), event::to_display(value))
          << operand.path.to_string() << " in " << json;
      if (slot % 2 == 0 && !value.missing()) expected.push_back(slot);
    }
    std::vector<SlotId> present(values_.present().begin(), values_.present().end());
    std::ranges::sort(present);
    std::ranges::sort(expected);
    EXPECT_EQ(present, expected) << json;
  }

  OperandTable table_;
  PointIndex points_;
  EventValues values_{table_, points_};
  std::vector<Operand> operands_;
};

TEST_P(EventValuesTest, SeesWhatTheEvaluatorSees) {
  expect_values(R"({"type":"a"})");
  expect_values(R"({"type":"a","x1":"e","x2":5,"time":"2026-01-01T00:00:00Z"})");
  expect_values(R"({"data":{"x0":1,"x2":"s","x11":null,"x1":{"x1":1},"y":2}})");
  expect_values(R"({"data":{"o":{"x0":1,"x3":2.5},"list":[{"x0":true,"x9":1},7,[1]]}})");
  expect_values(R"({"data":{"o":[1],"list":{"x0":1}}})");
  expect_values(R"({"data":[1,2]})");
  expect_values(R"({"data":"text"})");
  expect_values(R"({"data":null})");
  expect_values(R"({"data_base64":"AAEC"})");
  expect_values(R"({"data":{"x\u0030":"an escaped name"}})");
}

INSTANTIATE_TEST_SUITE_P(PathCounts, EventValuesTest, testing::Values(1, 4, 12));

}  // namespace
}  // namespace weir::match::content
