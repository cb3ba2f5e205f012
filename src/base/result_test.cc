// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace weir::base {
namespace {

Error not_found() { return {ErrorId::kEngineNoSuchSubscription, "no subscription 7", {}}; }

Result<int> half(int number) {
  if (number % 2 != 0) return Error{ErrorId::kEngineOption, "odd", {}};
  return number / 2;
}

Result<std::string> half_as_text(int number) {
  const Result<int> halved = half(number);
  if (!halved) return halved.error();
  return std::to_string(*halved);
}

Result<void> require_even(int number) {
  if (const auto halved = half(number); !halved) return halved.error();
  return {};
}

TEST(ResultTest, HoldsAValue) {
  const Result<int> result = half(8);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(*result, 4);
}

TEST(ResultTest, HoldsAnError) {
  const Result<int> result = half(7);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, ErrorId::kEngineOption);
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidInput);
}

TEST(ResultTest, PassesAnErrorOnToAnotherType) {
  EXPECT_EQ(half_as_text(8).value(), "4");
  ASSERT_FALSE(half_as_text(7));
  EXPECT_EQ(half_as_text(7).error().message, "odd");
}

TEST(ResultTest, MayHoldNothingButSuccess) {
  EXPECT_TRUE(require_even(2).has_value());
  ASSERT_FALSE(require_even(3));
  EXPECT_EQ(require_even(3).error().message, "odd");
  EXPECT_FALSE(Result<void>(not_found()).has_value());
}

TEST(ResultTest, MovesAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(ResultTest, ConvertsAPointerToOneToConst) {
  const auto create = []() -> Result<std::shared_ptr<const int>> {
    return std::make_shared<int>(5);
  };
  EXPECT_EQ(**create(), 5);
}

TEST(ResultTest, GivesAnAlternativeForAnError) {
  EXPECT_EQ(half(7).value_or(-1), -1);
  EXPECT_EQ(half(8).value_or(-1), 4);
}

}  // namespace
}  // namespace weir::base
