// SPDX-License-Identifier: Apache-2.0
#include "broker/consumers.h"

#include <gtest/gtest.h>

#include <string>

#include "broker/definition.h"

namespace weir::broker {
namespace {

DefinitionPtr with(const std::string& consumers) {
  return Definition::parse(R"({"config":{"consumers":)" + consumers + "}}").value();
}

std::string error_of(std::string_view json) {
  const auto definition =
      Definition::parse(json, {.consumers = {.in_flight_max = 50, .attempt_count_max = 9}});
  return definition ? "ok" : definition.error().to_string();
}

TEST(ConsumersTest, AreExclusiveUnlessTheySayOtherwise) {
  EXPECT_FALSE(Definition::parse("{}").value()->shared());
  EXPECT_FALSE(with(R"("exclusive")")->shared());
  EXPECT_EQ(with(R"("shared")")->shared(), SharedConsumers{});
}

TEST(ConsumersTest, SayHowTheyShare) {
  const auto shared = with(R"({"mode":"shared","by":"data.order.id","acknowledge_within":"1m30s",)"
                           R"("in_flight":7,"attempts":3})")
                          ->shared();
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->by->to_string(), "data.order.id");
  EXPECT_EQ(shared->acknowledge_within, base::Duration::seconds(90));
  EXPECT_EQ(shared->in_flight_max, 7U);
  EXPECT_EQ(shared->attempt_count_max, 3U);
}

TEST(ConsumersTest, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of(R"({"config":{"consumers":"many"}})"),
            "line 1, column 24: expected consumers to be \"exclusive\", \"shared\" or an object");
  EXPECT_EQ(error_of("{\"config\":\n{\"consumers\":{}}}"),
            "line 2, column 14: expected consumers to have a \"mode\": \"shared\"");
  EXPECT_EQ(error_of(R"({"config":{"consumers":{"mode":"exclusive"}}})"),
            "line 1, column 32: expected the mode of an object to be \"shared\"");
  EXPECT_EQ(error_of(R"({"config":{"consumers":{"mode":"shared","inflight":1}}})"),
            "line 1, column 41: consumers has no member 'inflight': did you mean 'in_flight'?; "
            "expected mode, by, acknowledge_within, in_flight, attempts");
  EXPECT_EQ(error_of(R"({"config":{"consumers":{"mode":"shared","by":"a b"}}})").substr(0, 46),
            "line 1, column 46: expected by to be a path: e");
  EXPECT_EQ(error_of(R"({"config":{"consumers":{"mode":"shared","acknowledge_within":30}}})"),
            "line 1, column 62: expected acknowledge_within to be a duration from 100ms to 1d");
  EXPECT_EQ(error_of(R"({"config":{"consumers":{"mode":"shared","acknowledge_within":"2d"}}})"),
            "line 1, column 62: expected acknowledge_within to be a duration from 100ms to 1d");
  EXPECT_EQ(error_of(R"({"config":{"consumers":{"mode":"shared","in_flight":51}}})"),
            "line 1, column 53: expected in_flight to be an integer from 1 to 50");
  EXPECT_EQ(error_of(R"({"config":{"consumers":{"mode":"shared","attempts":0}}})"),
            "line 1, column 52: expected attempts to be an integer from 1 to 9");
}

TEST(ConsumersTest, CannotBeSharedBesideASink) {
  EXPECT_EQ(error_of(R"({"config":{"consumers":"shared"},"sink":"https://example.com/"})"),
            "line 1, column 24: a sink is one consumer; expected \"exclusive\" consumers beside a "
            "sink");
  EXPECT_EQ(error_of(R"({"config":{"consumers":"exclusive"},"sink":"https://example.com/"})"),
            "ok");
}

TEST(ConsumersTest, DelayWhatIsRefusedByABoundedDuration) {
  EXPECT_EQ(parse_nack_delay("5s"), base::Duration::seconds(5));
  EXPECT_EQ(parse_nack_delay("0s"), base::Duration{});
  EXPECT_EQ(parse_nack_delay("25h"), std::nullopt);
  EXPECT_EQ(parse_nack_delay("5"), std::nullopt);
  EXPECT_EQ(parse_nack_delay("5s later"), std::nullopt);
}

}  // namespace
}  // namespace weir::broker
