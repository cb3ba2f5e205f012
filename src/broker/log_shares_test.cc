// SPDX-License-Identifier: Apache-2.0
#include "broker/log_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::broker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LogSharesTest, RefusesWhatExceedsAnOwnersQuotaAndNobodyElses) {
  LogShares shares({.owner_bytes_max = 100, .bucket_bytes = 50});
  shares.add({{"a", 60}, {"b", 10}}, 3);
  EXPECT_TRUE(shares.check("a", 40));
  const auto refused = shares.check("a", 41);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, base::ErrorId::kBrokerQuota);
  EXPECT_TRUE(shares.check("b", 90));
  EXPECT_TRUE(shares.check("c", 100));
}

TEST(LogSharesTest, WithoutAQuotaEverythingIsCountedAndNothingRefused) {
  LogShares shares({.owner_bytes_max = 0, .bucket_bytes = 50});
  shares.add({{"a", 1000}}, 1);
  EXPECT_TRUE(shares.check("a", 1'000'000));
  EXPECT_THAT(shares.largest(10), ElementsAre(MemoryUse{"a", 1000}));
}

TEST(LogSharesTest, EventsThatLeaveTheLogMakeRoom) {
  LogShares shares({.owner_bytes_max = 100, .bucket_bytes = 50});
  shares.add({{"a", 60}}, 3);
  shares.add({{"a", 30}, {"b", 40}}, 5);
  shares.retire_before(3);
  EXPECT_FALSE(shares.check("a", 20)) << "event 3 is still there";
  shares.retire_before(4);
  EXPECT_THAT(shares.largest(10), ElementsAre(MemoryUse{"b", 40}, MemoryUse{"a", 30}));
  EXPECT_TRUE(shares.check("a", 70));
  shares.retire_before(100);
  EXPECT_THAT(shares.largest(10), IsEmpty());
}

TEST(LogSharesTest, TellsTheLargestOnly) {
  LogShares shares({.owner_bytes_max = 0, .bucket_bytes = 50});
  shares.add({{"a", 1}, {"b", 3}, {"c", 2}}, 1);
  EXPECT_THAT(shares.largest(2), ElementsAre(MemoryUse{"b", 3}, MemoryUse{"c", 2}));
}

TEST(LogSharesTest, GoesOnWhereItWasSaved) {
  const LogShares::Limits limits{.owner_bytes_max = 100, .bucket_bytes = 50};
  LogShares shares(limits);
  shares.add({{"a", 60}}, 3);
  shares.add({{"", 30}, {"b", 40}}, 5);
  LogShares restored(limits);
  ASSERT_TRUE(restored.restore(shares.save()));
  EXPECT_EQ(restored.save(), shares.save());
  restored.retire_before(4);
  EXPECT_THAT(restored.largest(10), ElementsAre(MemoryUse{"b", 40}, MemoryUse{"", 30}));
}

TEST(LogSharesTest, RefusesBytesThatAreMalformed) {
  LogShares shares({.owner_bytes_max = 100, .bucket_bytes = 50});
  shares.add({{"a", 60}}, 3);
  const std::string saved = shares.save();
  for (std::size_t end = 0; end < saved.size(); ++end) {
    EXPECT_FALSE(shares.restore(saved.substr(0, end))) << end;
  }
  EXPECT_FALSE(shares.restore(saved + '\0'));
  EXPECT_FALSE(shares.check("a", 41)) << "nothing has changed";
}

}  // namespace
}  // namespace weir::broker
