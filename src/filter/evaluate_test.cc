// SPDX-License-Identifier: Apache-2.0
// What the case files (weir_type_cases.txt) do not reach: the functions' own contracts.
#include "filter/evaluate.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "event/event_testing.h"
#include "filter/filter_testing.h"

namespace weir::filter {
namespace {

using event::event_of;
using event::Value;
using event::ValueKind;

// Scores by the words asked for, and notes which predicates were scored.
class CountingScorer final : public Scorer {
 public:
  TextVerdict judge(const About& about, const event::Event&) override {
    asked_.push_back(about.words);
    const double score = about.words == "storm" ? 2.0 : 0.0;
    return {about.words != "none" && score >= *about.score_min, score, 1};
  }
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  std::vector<std::string> asked_;
};

Operand operand_of(std::string_view path, Operand::Conversion conversion) {
  return {*event::parse_path(path), conversion};
}

TEST(EvaluateTest, ResolvesEveryKindOfValue) {
  const auto event = event_of(
      R"({"time":"2026-01-01T00:00:00Z","lot":7,"data":{"n":null,"b":true,"i":1,"d":1.5,"s":"x",
          "o":{},"a":[]}})");
  const auto kind = [&](std::string_view path) {
    return resolve(operand_of(path, Operand::Conversion::kNone), *event).kind();
  };
  EXPECT_EQ(kind("data.none"), ValueKind::kMissing);
  EXPECT_EQ(kind("none"), ValueKind::kMissing);
  EXPECT_EQ(kind("data.n"), ValueKind::kNull);
  EXPECT_EQ(kind("data.b"), ValueKind::kBool);
  EXPECT_EQ(kind("data.i"), ValueKind::kInt);
  EXPECT_EQ(kind("data.d"), ValueKind::kDouble);
  EXPECT_EQ(kind("data.s"), ValueKind::kString);
  EXPECT_EQ(kind("data.o"), ValueKind::kObject);
  EXPECT_EQ(kind("data.a"), ValueKind::kArray);
  EXPECT_EQ(kind("time"), ValueKind::kTimestamp);
  EXPECT_EQ(kind("lot"), ValueKind::kInt);
  EXPECT_EQ(kind("data"), ValueKind::kObject);
}

TEST(EvaluateTest, ConvertsToStringsAsTheEventWroteThem) {
  const auto event = event_of(R"({"time":"2026-01-01T00:00:00.00Z","lot":7,"data":[1.50,true]})");
  const auto text = [&](std::string_view path) {
    const Value value = resolve(operand_of(path, Operand::Conversion::kString), *event);
    return value.missing() ? "missing" : std::string(value.as_string());
  };
  EXPECT_EQ(text("time"), "2026-01-01T00:00:00.00Z");
  EXPECT_EQ(text("lot"), "7");
  EXPECT_EQ(text("data[0]"), "1.50");
  EXPECT_EQ(text("data[1]"), "true");
  EXPECT_EQ(text("data"), "missing");
  EXPECT_EQ(text("data[2]"), "missing");
}

TEST(EvaluateTest, ConvertsOnlyTimesToTimestamps) {
  const auto event =
      event_of(R"({"time":"2026-01-01T00:00:00Z","data":["2026-01-01T01:00:00+01:00","x",5]})");
  const auto moment = [&](std::string_view path) {
    return resolve(operand_of(path, Operand::Conversion::kTimestamp), *event);
  };
  EXPECT_EQ(moment("time").as_timestamp(), moment("data[0]").as_timestamp());
  EXPECT_TRUE(moment("data[1]").missing());
  EXPECT_TRUE(moment("data[2]").missing());
}

TEST(EvaluateTest, NothingHoldsOfAMissingValue) {
  using enum CompareOp;
  for (const CompareOp op : {kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual}) {
    EXPECT_FALSE(compare_values(Value(), op, Value::of(std::int64_t{1})));
    EXPECT_FALSE(compare_values(Value::of(std::int64_t{1}), op, Value()));
    EXPECT_FALSE(compare_values(Value(), op, Value()));
  }
}

TEST(EvaluateTest, ValuesOfDifferentTypesAreOnlyUnequal) {
  const std::vector<Value> values = {
      Value::of_kind(ValueKind::kNull),   Value::of(true),
      Value::of(std::int64_t{1}),         Value::of("1"),
      Value::of(event::Timestamp{1, 0}),  Value::of_kind(ValueKind::kBytes),
      Value::of_kind(ValueKind::kObject), Value::of_kind(ValueKind::kArray)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (i == j) continue;
      EXPECT_TRUE(compare_values(values[i], CompareOp::kNotEqual, values[j]));
      for (const CompareOp op : {CompareOp::kEqual, CompareOp::kLess, CompareOp::kLessEqual,
                                 CompareOp::kGreater, CompareOp::kGreaterEqual}) {
        EXPECT_FALSE(compare_values(values[i], op, values[j])) << i << " " << j;
      }
    }
  }
}

TEST(EvaluateTest, AsksTheScorerForEachTextPredicate) {
  CountingScorer scorer;
  const auto holds = [&](std::string_view text) {
    return evaluate(*filter_of(text)->expr(), *event_of("{}"), scorer);
  };
  EXPECT_TRUE(holds("text(data.a) about 'storm' score >= 2"));
  EXPECT_FALSE(holds("text(data.a) about 'storm' score >= 2.1"));
  EXPECT_TRUE(holds("text(data.a) about 'calm' score >= 0"));
  EXPECT_FALSE(holds("text(data.a) about 'none' score >= 0"));
  EXPECT_EQ(scorer.asked(), (std::vector<std::string>{"storm", "storm", "calm", "none"}));
}

TEST(EvaluateTest, LooksNoFurtherThanItMust) {
  CountingScorer scorer;
  const auto expr = filter_of(
                        "type = 'x' and text(data.a) about 'storm' score >= 1 or "
                        "type = 'test' or text(data.a) about 'calm' score >= 1")
                        ->expr();
  EXPECT_TRUE(evaluate(*expr, *event_of("{}"), scorer));
  EXPECT_TRUE(scorer.asked().empty());
}

TEST(EvaluateDeathTest, RefusesAChangeTermWhichHasNoValueOfItsOwn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto filter = filter_of("change(data.x) > 1");
  const auto event = event_of("{}");
  FixedScorer scorer;
  EXPECT_DEATH(evaluate(*filter->expr(), *event, scorer), "change_has_state");
}

}  // namespace
}  // namespace weir::filter
