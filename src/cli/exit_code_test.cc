// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_code.h"

#include <gtest/gtest.h>

#include <set>

namespace weir::cli {
namespace {

TEST(ExitCodeTest, GivesEveryKindOfFailureItsOwnStatus) {
  EXPECT_EQ(exit_code(base::ErrorCode::kInvalidInput), 2);
  EXPECT_EQ(exit_code(base::ErrorCode::kNotFound), 3);
  EXPECT_EQ(exit_code(base::ErrorCode::kLimit), 4);
  EXPECT_EQ(exit_code(base::ErrorCode::kUnavailable), 5);
  EXPECT_EQ(exit_code(base::ErrorCode::kCorrupt), 6);
}

TEST(ExitCodeTest, NeverTakesAnErrorForAnAnswer) {
  for (const base::ErrorInfo& info : base::error_table()) {
    EXPECT_GT(exit_code(info.code), kExitNo) << info.name;
  }
}

}  // namespace
}  // namespace weir::cli
