// SPDX-License-Identifier: Apache-2.0
#include "filter/compare_any.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/prng.h"
#include "filter/evaluate.h"

namespace weir::filter {
namespace {

using event::Value;
using event::ValueKind;

constexpr std::array kOps = {CompareOp::kEqual,     CompareOp::kNotEqual, CompareOp::kLess,
                             CompareOp::kLessEqual, CompareOp::kGreater,  CompareOp::kGreaterEqual};

const std::array kValues = {Value(),
                            Value::of_kind(ValueKind::kNull),
                            Value::of_kind(ValueKind::kObject),
                            Value::of(false),
                            Value::of(true),
                            Value::of(std::int64_t{1}),
                            Value::of(1.0),
                            Value::of(1.5),
                            Value::of(std::int64_t{9007199254740993}),
                            Value::of(9007199254740992.0),
                            Value::of("a"),
                            Value::of("b"),
                            Value::of(event::Timestamp{5, 0}),
                            Value::of(event::Timestamp{5, 1})};

bool by_pairs(const std::vector<Value>& left, CompareOp op, const std::vector<Value>& right) {
  return std::ranges::any_of(left, [&](const Value& one) {
    return std::ranges::any_of(right,
                               [&](const Value& other) { return compare_values(one, op, other); });
  });
}

TEST(CompareAnyTest, SaysWhatEveryPairSays) {
  base::Prng prng(17);
  const auto some = [&] {
    std::vector<Value> values;
    while (values.size() < 4 && prng.chance(0.7)) {
      values.push_back(kValues[prng.below(kValues.size())]);
    }
    return values;
  };
  for (int round = 0; round < 20'000; ++round) {
    const std::vector<Value> left = some();
    const std::vector<Value> right = some();
    for (const CompareOp op : kOps) {
      ASSERT_EQ(compare_any(left, op, right), by_pairs(left, op, right))
          << round << ", operator " << static_cast<int>(op);
    }
  }
}

TEST(CompareAnyTest, DoesNotTryEveryPairOfManyValues) {
  std::vector<Value> left;
  std::vector<Value> right;
  for (std::int64_t i = 0; i < 300'000; ++i) {
    left.push_back(Value::of(2 * i));
    right.push_back(Value::of(2 * i + 1));
  }
  EXPECT_FALSE(compare_any(left, CompareOp::kEqual, right));
  right.push_back(Value::of(std::int64_t{100'000}));
  EXPECT_TRUE(compare_any(left, CompareOp::kEqual, right));
  EXPECT_TRUE(compare_any(left, CompareOp::kNotEqual, right));
}

}  // namespace
}  // namespace weir::filter
