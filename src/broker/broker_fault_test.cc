// SPDX-License-Identifier: Apache-2.0
// The broker on a disk that fails: publishers are told, nothing acknowledged is lost, and service
// resumes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/prng.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::broker {
namespace {

using store::FileOperation;
using testing::ElementsAre;

class BrokerFaultTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "data",
            .shard_count = 2,
            .log = {.segment_bytes = 4096},
            .now = [this] { return base::Instant{now_.fetch_add(1000)}; },
            .files = &files_};
  }

  base::TemporaryDirectory directory_;
  store::FaultFileSystem files_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
};

std::string event(int id, int value) {
  return fmt::format(R"({{"id":"{}","subject":"s","data":{{"v":{}}}}})", id, value);
}

TEST_F(BrokerFaultTest, TellsPublishersOfAFailingSyncAndResumes) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  ASSERT_EQ(broker.put(R"({"id":"c","filters":[{"weir":"change(data.v, by subject) > 10"}]})"),
            "ok");
  EXPECT_EQ(broker.publish(event(1, 100)), "accepted");
  files_.fail(FileOperation::kSync);
  EXPECT_EQ(broker.publish(event(2, 200)), "store.io");
  EXPECT_EQ(broker.publish(event(2, 200)), "accepted") << "no duplicate: it was not accepted";
  const auto all = broker.attach("all");
  ASSERT_TRUE(all->wait_count(2));
  EXPECT_THAT(all->ids(), ElementsAre("1", "2"));
  const auto change = broker.attach("c");
  ASSERT_TRUE(change->wait_count(2));
  EXPECT_THAT(change->ids(), ElementsAre("1", "2")) << "no state had moved for the refused event";
  broker.open_again();
  EXPECT_EQ(broker->stats().pending, 4U);
}

TEST_F(BrokerFaultTest, ServesAgainWhenThereIsRoomOnTheDisk) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  EXPECT_EQ(broker.publish(event(1, 1)), "accepted");
  files_.set_capacity(1);
  EXPECT_EQ(broker.publish(event(2, 2)), "store.full");
  ASSERT_TRUE(broker->trouble());
  EXPECT_EQ(broker->trouble()->id, base::ErrorId::kStoreFull);
  EXPECT_EQ(broker.publish(event(3, 3)), "store.full");
  files_.set_capacity(UINT64_MAX);
  EXPECT_TRUE(eventually([&] { return !broker->trouble(); })) << "without anybody publishing";
  EXPECT_EQ(broker.publish(event(3, 3)), "accepted");
  const auto all = broker.attach("all");
  ASSERT_TRUE(all->wait_count(2));
  EXPECT_THAT(all->ids(), ElementsAre("1", "3"));
}

// Power is lost at random moments. What was accepted reaches every subscription, in order; what
// comes twice was not acknowledged; change and distinct go on as if nothing had happened.
TEST_F(BrokerFaultTest, LosesNothingThatWasAcceptedWhenThePowerGoes) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const base::TemporaryDirectory directory;
    store::FaultFileSystem files;
    BrokerOptions crashing = options();
    crashing.directory = directory / "data";
    crashing.files = &files;
    crashing.checkpoint_event_count = 20;
    base::Prng prng(seed);
    TestBroker broker(crashing);
    ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
    ASSERT_EQ(broker.put(R"({"id":"c","filters":[{"weir":"change(data.v, by subject) > 10"}]})"),
              "ok");
    std::vector<std::string> accepted;
    std::vector<std::string> changed;
    std::optional<int> last;
    int id = 0;
    for (int round = 0; round < 5; ++round) {
      for (std::uint64_t n = prng.below(40); n-- > 0;) {
        const int value = static_cast<int>(prng.below(60));
        ++id;
        if (prng.chance(0.1))
          files.fail(prng.chance(0.5) ? FileOperation::kSync : FileOperation::kWrite);
        const std::string outcome = broker.publish(event(id, value));
        files.fail_nothing();
        if (outcome != "accepted") continue;
        accepted.push_back(std::to_string(id));
        if (last && std::abs(value - *last) <= 10) continue;
        last = value;
        changed.push_back(std::to_string(id));
      }
      broker.stop();
      files.crash(prng);
      broker.open_again();
    }
    const auto all = broker.attach("all");
    ASSERT_TRUE(all->wait_count(accepted.size()));
    EXPECT_EQ(all->ids(), accepted);
    const auto change = broker.attach("c");
    ASSERT_TRUE(change->wait_count(changed.size()));
    EXPECT_EQ(change->ids(), changed);
  }
}

}  // namespace
}  // namespace weir::broker
