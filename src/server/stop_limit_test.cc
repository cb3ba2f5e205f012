// SPDX-License-Identifier: Apache-2.0
#include "server/stop_limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>

namespace weir::server {
namespace {

TEST(StopLimitTest, GivesUpWhenTheTimeIsOver) {
  std::promise<void> given_up;
  const StopLimit limit(std::chrono::milliseconds(1), [&] { given_up.set_value(); });
  EXPECT_EQ(given_up.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST(StopLimitTest, DoesNothingIfTheEndComesInTime) {
  bool given_up = false;
  for (int i = 0; i < 20; ++i) {
    const StopLimit limit(std::chrono::hours(1), [&] { given_up = true; });
  }
  EXPECT_FALSE(given_up);
}

}  // namespace
}  // namespace weir::server
