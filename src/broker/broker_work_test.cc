// SPDX-License-Identifier: Apache-2.0
// Events that are too costly for the filters of one owner: counted, told, and nobody else notices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "broker/broker.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

PrincipalPtr principal(std::string name) {
  return std::make_shared<const Principal>(
      Principal{.name = std::move(name), .grants = Grants::all()});
}

class BrokerWorkTest : public testing::Test {
 protected:
  BrokerWorkTest() { options_.engine.work_steps_max = 300'000; }

  // Each looks at ten thousand bytes, twice.
  void subscribe_greedily(TestBroker& broker) {
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(
          broker.put(fmt::format(R"({{"id":"g{}","filters":[{{"weir":"data.t like '%x%'"}}]}})", i),
                     greedy_),
          "ok");
    }
    ASSERT_EQ(broker.put(R"({"id":"cheap","filters":[{"weir":"exists data.t"}]})", greedy_), "ok");
    ASSERT_EQ(broker.put(R"({"id":"other","filters":[{"weir":"data.t like '%x%'"}]})",
                         principal("other")),
              "ok");
  }
  static std::string event(int id, std::size_t bytes) {
    return fmt::format(R"({{"id":"{}","data":{{"t":"{}x"}}}})", id, std::string(bytes, 'a'));
  }
  std::uint64_t over_budget(TestBroker& broker, const std::string& id) {
    return broker->get(greedy_, id)->over_budget;
  }

  base::TemporaryDirectory directory_;
  BrokerOptions options_{.directory = directory_ / "data"};
  PrincipalPtr greedy_ = everyone();  // is there after a restart, as an owner with a token is
};

TEST_F(BrokerWorkTest, IsCountedInStatusAndStatsAndTold) {
  TestBroker broker(options_);
  ASSERT_NO_FATAL_FAILURE(subscribe_greedily(broker));
  const auto other = broker.attach("other", {}, principal("other"));
  const auto cheap = broker.attach("cheap", {}, greedy_);
  ASSERT_EQ(broker.publish(event(1, 10'000)), "accepted");
  ASSERT_EQ(broker.publish(event(2, 10)), "accepted");
  ASSERT_TRUE(other->wait_count(2));
  ASSERT_TRUE(cheap->wait_count(2));
  ASSERT_TRUE(eventually([&] { return broker->stats().over_budget == 1; }));
  ASSERT_TRUE(eventually([&] { return broker->stats().work_steps > 20'000; }));
  EXPECT_EQ(over_budget(broker, "g7"), 1U);
  EXPECT_EQ(over_budget(broker, "cheap"), 0U);
  const auto greedy = broker.attach("g7", {}, greedy_);
  ASSERT_TRUE(greedy->wait_count(1));
  EXPECT_EQ(greedy->ids(), std::vector<std::string>{"2"});
  std::size_t told = 0;
  for (const Loss& loss : broker->take_losses()) {
    told += loss.kind == LossKind::kOverBudget && loss.subscription == "g7" ? loss.count : 0;
  }
  EXPECT_EQ(told, 1U);
}

// What was too costly is so after a restart: nothing comes that was not delivered before.
TEST_F(BrokerWorkTest, ARestartDecidesTheSame) {
  TestBroker broker(options_);
  ASSERT_NO_FATAL_FAILURE(subscribe_greedily(broker));
  ASSERT_EQ(broker.publish(event(1, 10'000)), "accepted");
  ASSERT_EQ(broker.publish(event(2, 10)), "accepted");
  ASSERT_TRUE(eventually([&] { return broker->get(greedy_, "g7")->counts.pending == 1; }));
  broker.open_again();
  ASSERT_EQ(broker.publish(event(3, 10'000)), "accepted");
  ASSERT_EQ(broker.publish(event(4, 10)), "accepted");
  const auto greedy = broker.attach("g7", {}, greedy_);
  ASSERT_TRUE(greedy->wait_count(2));
  EXPECT_EQ(greedy->ids(), (std::vector<std::string>{"2", "4"}));
}

// The rest after it is much longer than it takes to publish a few events, on slow machines too.
TEST_F(BrokerWorkTest, CheckpointsThatStopAShardForLongAreRare) {
  options_.shard_count = 1;
  options_.checkpoint_interval = base::Duration::milliseconds(1);
  TestBroker broker(options_);
  ASSERT_EQ(broker.put(R"j({"id":"a","filters":[{"weir":"any change(data.v, by id)"}]})j"), "ok");
  int last_id = 0;
  const auto next_event = [&] {
    return fmt::format(R"({{"id":"{}","data":{{"v":1}}}})", ++last_id);
  };
  for (int batch = 0; batch < 5; ++batch) {
    std::vector<std::string> events(1000);
    std::ranges::generate(events, next_event);
    broker.publish_all(events);
  }
  const auto count = [&] { return broker->stats().checkpoints; };
  const std::uint64_t partial = count();
  // One that is begun behind all these events.
  ASSERT_TRUE(eventually([&] { return broker.publish(next_event()), count() > partial + 1; }));
  const std::uint64_t whole = count();
  for (int i = 0; i < 20; ++i) broker.publish(next_event());
  EXPECT_LE(count(), whole + 1);
}

}  // namespace
}  // namespace weir::broker
