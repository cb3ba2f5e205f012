// SPDX-License-Identifier: Apache-2.0
// An owner has no more bytes of events in the log than its quota.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

PrincipalPtr principal(std::string name) {
  return std::make_shared<const Principal>(
      Principal{.name = std::move(name), .grants = Grants::all()});
}

class BrokerQuotaTest : public testing::Test {
 protected:
  BrokerOptions options() {
    BrokerOptions options{.directory = directory_ / "data", .log_bytes_per_owner_max = 3000};
    options.log.segment_bytes = 4096;
    options.log.retention_age = base::Duration::seconds(60);
    options.retention_interval = base::Duration::milliseconds(5);
    options.clocks = [this] { return at_instant(base::Instant{now_.load()}); };
    return options;
  }
  // How many of them are accepted, and what the last one got.
  std::pair<int, std::string> publish(TestBroker& broker, const PrincipalPtr& by, int count) {
    int accepted = 0;
    std::string last;
    for (int i = 0; i < count; ++i) {
      last = broker.publish(
          fmt::format(R"({{"id":"{}","data":"{}"}})", ++last_id_, std::string(400, 'x')), by);
      accepted += last == "accepted" ? 1 : 0;
    }
    return {accepted, last};
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
  int last_id_ = 0;
};

TEST_F(BrokerQuotaTest, AnOwnerAtItsQuotaIsRefusedAlsoAfterARestartUntilItsEventsAreGone) {
  TestBroker broker(options());
  const auto [accepted, last] = publish(broker, principal("a"), 20);
  EXPECT_EQ(last, "broker.quota");
  EXPECT_GT(accepted, 3);
  EXPECT_LT(accepted, 8);
  EXPECT_EQ(publish(broker, principal("b"), 2).second, "accepted") << "others have their own";
  broker.open_again();
  EXPECT_EQ(publish(broker, principal("a"), 1).second, "broker.quota");
  EXPECT_EQ(broker->stats().log_by_owner.size(), 2U);
  EXPECT_EQ(broker->stats().log_by_owner.front().name, "a");
  // The newest segment stays until another one begins.
  ASSERT_TRUE(eventually([&] {
    now_ += base::Duration::seconds(30).nanoseconds;
    publish(broker, principal("c"), 1);
    return publish(broker, principal("a"), 1).second == "accepted";
  })) << "its old events are gone";
}

TEST_F(BrokerQuotaTest, WithoutAQuotaNobodyIsRefused) {
  BrokerOptions free = options();
  free.log_bytes_per_owner_max = 0;
  TestBroker broker(free);
  EXPECT_EQ(publish(broker, principal("a"), 20).first, 20);
  EXPECT_GT(broker->stats().log_by_owner.front().bytes, 8000U) << "but counted";
}

}  // namespace
}  // namespace weir::broker
