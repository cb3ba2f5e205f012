// SPDX-License-Identifier: Apache-2.0
#include "match/content/operand_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string_view>

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
  table.release(slot);
  EXPECT_EQ(table.slot_count(), 2U);
  table.release(slot);
  EXPECT_EQ(table.slot_count(), 1U);
}

TEST(OperandTableTest, NodesAreUsedAgain) {
  OperandTable table;
  for (int i = 0; i < 100; ++i) {
    const SlotId inside = table.acquire(at(fmt::format("data.a.m{}[{}]", i, i)));
    const SlotId attribute = table.acquire(at(fmt::format("x{}", i)));
    table.release(inside);
    table.release(attribute);
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

}  // namespace
}  // namespace weir::match::content
