// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <gtest/gtest.h>

namespace weir::base {
namespace {

TEST(CheckTest, PassesATrueCondition) { WEIR_CHECK(1 + 1 == 2); }

TEST(CheckTest, NamesConditionPlaceAndSeed) {
  set_check_seed(42);
  EXPECT_DEATH(WEIR_CHECK(1 + 1 == 3),
               "base/check_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3 \\(seed 42\\)");
  set_check_seed(0);
}

}  // namespace
}  // namespace weir::base
