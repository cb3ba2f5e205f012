// SPDX-License-Identifier: Apache-2.0
#include "cli/file_limit.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

TEST(FileLimitTest, ChangesNothingIfAllFits) {
  Settings settings;
  const std::uint64_t needed = file_count_max(settings);
  EXPECT_FALSE(fit_connections(settings, needed));
  EXPECT_EQ(settings.server.connection_count_max, Settings().server.connection_count_max);
}

TEST(FileLimitTest, ConnectionsGiveWayToTheStore) {
  for (const std::uint64_t allowed : {1024U, 2048U, 4096U, 10'000U}) {
    Settings settings;
    const std::uint64_t store = store_file_count_max(settings);
    EXPECT_TRUE(fit_connections(settings, allowed));
    EXPECT_LE(file_count_max(settings), allowed);
    EXPECT_GE(file_count_max(settings) + 3, allowed) << "nothing is wasted";
    EXPECT_EQ(store_file_count_max(settings), store);
    EXPECT_GE(settings.webhooks.request_count_max, 1U);
    EXPECT_FALSE(fit_connections(settings, allowed));
  }
}

TEST(FileLimitTest, ALogOfVeryManySegmentsLeavesHalf) {
  Settings settings;
  settings.broker.log.retention_bytes = std::uint64_t{1} << 50U;
  EXPECT_TRUE(fit_connections(settings, 10'000));
  EXPECT_GT(settings.server.connection_count_max, 4000U);
  EXPECT_LT(settings.server.connection_count_max, 5000U);
}

TEST(FileLimitTest, OneOfEachIsTheLeast) {
  Settings settings;
  EXPECT_TRUE(fit_connections(settings, 20));
  EXPECT_EQ(settings.server.connection_count_max, 1U);
  EXPECT_EQ(settings.webhooks.request_count_max, 1U);
}

}  // namespace
}  // namespace weir::cli
