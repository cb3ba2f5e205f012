// SPDX-License-Identifier: Apache-2.0
#include "match/event_key.h"

#include <gtest/gtest.h>

#include "event/event_testing.h"

namespace weir::match {
namespace {

using event::event_of;

std::string key_of(std::string_view value_json) {
  const std::vector<filter::Operand> operands = {{*event::parse_path("data.v")}};
  return event_key(operands,
                   *event_of(std::string(R"({"data":{"v":)") + std::string(value_json) + "}}"));
}

TEST(EventKeyTest, TakesNumbersByValue) {
  EXPECT_EQ(key_of("1"), key_of("1.0"));
  EXPECT_EQ(key_of("100"), key_of("1e2"));
  EXPECT_EQ(key_of("0"), key_of("-0.0"));
  EXPECT_NE(key_of("9007199254740993"), key_of("9007199254740992"));
  EXPECT_NE(key_of("1"), key_of("1.5"));
  EXPECT_EQ(key_of("1e300"), key_of("10e299"));
  EXPECT_EQ(key_of("1e400"), key_of("1e500"));
}

TEST(EventKeyTest, TellsTypesApart) {
  const std::vector<std::string> values = {"1",  "\"1\"", "true",  "\"true\"", "null", "\"\"",
                                           "{}", "[]",    "false", "0",        "\"n\""};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      EXPECT_EQ(key_of(values[i]) == key_of(values[j]), i == j) << values[i] << ' ' << values[j];
    }
  }
}

TEST(EventKeyTest, TakesObjectsByTheirTextWithoutWhiteSpace) {
  EXPECT_EQ(key_of(R"({"a":[1, 2]})"), key_of(R"({ "a" : [ 1,2 ] })"));
  EXPECT_EQ(key_of(R"(["\u0041"])"), key_of(R"(["A"])"));
  EXPECT_NE(key_of(R"({"a":1})"), key_of(R"({"a":2})"));
}

TEST(EventKeyTest, KeepsTheBordersBetweenSeveralValues) {
  const std::vector<filter::Operand> operands = {{*event::parse_path("data.a")},
                                                 {*event::parse_path("data.b")}};
  const auto key = [&](std::string_view json) { return event_key(operands, *event_of(json)); };
  EXPECT_NE(key(R"({"data":{"a":"x","b":"yz"}})"), key(R"({"data":{"a":"xy","b":"z"}})"));
  EXPECT_NE(key(R"({"data":{"a":"x"}})"), key(R"({"data":{"b":"x"}})"));
  EXPECT_EQ(key(R"({"data":{}})"), key(R"({"data":{"c":1}})"));
}

TEST(EventKeyTest, TakesTimesByTheirInstantAndBytesByTheirContent) {
  const std::vector<filter::Operand> time = {{event::Path::attribute("time")}};
  EXPECT_EQ(event_key(time, *event_of(R"({"time":"2026-01-01T12:00:00Z"})")),
            event_key(time, *event_of(R"({"time":"2026-01-01T13:00:00+01:00"})")));
  const std::vector<filter::Operand> data = {{event::Path::data()}};
  EXPECT_EQ(event_key(data, *event_of(R"({"data_base64":"AAE="})")),
            event_key(data, *event_of(R"({"data_base64":"AAE\u003d"})")));
  EXPECT_NE(event_key(data, *event_of(R"({"data_base64":"AAE="})")),
            event_key(data, *event_of(R"({"data":"AAE="})")));
}

}  // namespace
}  // namespace weir::match
