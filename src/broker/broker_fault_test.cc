// SPDX-License-Identifier: Apache-2.0
// The broker on a disk that fails: publishers are told, nothing acknowledged is lost, and service
// resumes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <string>

#include "base/error_testing.h"
#include "base/prng.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "event/event_testing.h"
#include "store/fault_file_system_testing.h"
#include "store/segment_format.h"

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
            .clocks = [this] { return at_instant(base::Instant{now_.fetch_add(1000)}); },
            .files = &files_};
  }

  // The disk has room for the event, and none for notes on its deliveries.
  std::string publish_without_notes(TestBroker& broker, const std::string& event) {
    std::uint64_t used_bytes = store::kRecordHeadBytes + event::event_of(event)->json().size();
    for (const auto& [path, text] : files_.contents()) used_bytes += text.size();
    files_.set_capacity(used_bytes);
    return broker.publish(event);
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

// Notes on the last events cannot be written, so nothing that rests on them can.
TEST_F(BrokerFaultTest, AnswersThatWaitForTheLogAreRefusedWhileTheDiskIsFull) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  ASSERT_EQ(broker.put(R"({"id":"shared","config":{"consumers":"shared"}})"), "ok");
  ASSERT_EQ(broker.put(R"({"id":"d","filters":[{"weir":"distinct(data.v) within 1h"}]})"), "ok");
  const auto all = broker.attach("all");
  const auto shared = broker.attach("shared");
  EXPECT_EQ(publish_without_notes(broker, event(1, 1)), "accepted");
  ASSERT_TRUE(all->wait_count(1));
  ASSERT_TRUE(shared->wait_count(1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(broker.acknowledge("all", 1), "store.full");
    EXPECT_EQ(broker.forget("d", event(9, 1)), "store.full");
    EXPECT_EQ(broker.put(R"({"id":"late","config":{"start":"earliest"}})"), "store.full");
    EXPECT_EQ(broker.publish(event(2, 2)), "store.full");
  }
  EXPECT_EQ(broker.answer("shared", {.numbers = {1}}), "store.full");
  files_.set_capacity(UINT64_MAX);
  ASSERT_TRUE(eventually([&] { return !broker->trouble(); }));
  EXPECT_TRUE(all->wait_acknowledged(1)) << "though nobody asked again";
  EXPECT_EQ(broker.acknowledge("all", 1), "ok");
  EXPECT_EQ(broker.forget("d", event(9, 1)), "false") << "it was forgotten then";
  EXPECT_EQ(broker.put(R"({"id":"late","config":{"start":"earliest"}})"), "ok");
  EXPECT_EQ(broker.publish(event(2, 2)), "accepted");
  broker.open_again();
  EXPECT_EQ(broker->get(everyone(), "all")->counts.pending, 1U);
  EXPECT_EQ(broker->get(everyone(), "shared")->counts.settled.acknowledged, 1U);
}

TEST_F(BrokerFaultTest, LettersThatAreSentAgainWaitForAFullDisk) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  const auto all = broker.attach("all");
  EXPECT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_TRUE(all->wait_count(1));
  broker.session->bury(1, "no");
  ASSERT_TRUE(all->wait_acknowledged(1));
  files_.set_capacity(1);
  std::promise<std::string> answered;
  broker->resend_dead_letters(everyone(), "all", std::nullopt,
                              [&](const base::Result<LetterCounts>& counts) {
                                answered.set_value(base::describe(counts));
                              });
  EXPECT_THAT(answered.get_future().get(), testing::StartsWith("store.full"));
  EXPECT_EQ(all->received().size(), 1U) << "its number is not noted";
  files_.set_capacity(UINT64_MAX);
  ASSERT_TRUE(all->wait_count(2)) << "it was taken";
  EXPECT_EQ(all->received()[1].number, 2U);
}

// A letter waits in memory until the notes before it are written.
TEST_F(BrokerFaultTest, DeadLettersThatWaitForAFullDiskAreBoundedInBytes) {
  constexpr std::size_t kOwnerBytes = 200'000;
  constexpr std::size_t kLetterBytes = 40'000;  // an event of 20 kB counts twice
  constexpr std::uint64_t kLetters = 20;
  BrokerOptions tight = options();
  tight.log.segment_bytes = std::size_t{1} << 20U;
  tight.outbox_bytes_max = 2 * kOwnerBytes;
  TestBroker broker(tight);
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  for (std::uint64_t i = 1; i <= kLetters; ++i) {
    ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{}","data":"{}"}})", i,
                                         std::string(kLetterBytes / 2, 'x'))),
              "accepted");
  }
  broker.open_again();  // the notes on these are written
  const auto all = broker.attach("all");
  ASSERT_EQ(publish_without_notes(broker, event(100, 1)), "accepted");
  ASSERT_TRUE(all->wait_count(kLetters + 1));
  const auto written = [&] { return broker->dead_letters(everyone(), "all", 0, 100)->size(); };
  const auto bytes = [&] {
    const std::vector<MemoryUse> uses = broker->stats().memory_by_part;
    return std::ranges::find(uses, "outboxes", &MemoryUse::name)->bytes;
  };

  for (std::uint64_t i = 1; i <= kLetters; ++i) broker.session->bury(i, "no");
  EXPECT_EQ(all->wait_end(), "broker.memory") << "the rest is tried again later";
  const std::uint64_t waiting = broker->get(everyone(), "all")->letters_kept;
  EXPECT_GT(waiting, 1U);
  EXPECT_LE(waiting * kLetterBytes, kOwnerBytes);
  EXPECT_GE(bytes(), waiting * kLetterBytes);
  EXPECT_LE(bytes(), kOwnerBytes);
  EXPECT_EQ(written(), 0U);

  files_.set_capacity(UINT64_MAX);
  // Their memory is free a moment after others can see them in the registry.
  ASSERT_TRUE(eventually([&] { return written() == waiting && bytes() < kLetterBytes; }))
      << "though nobody asked again";
  const auto again = broker.attach("all");
  for (std::uint64_t i = waiting + 1; i <= kLetters; ++i) {
    broker.session->bury(i, "no");
    ASSERT_TRUE(again->wait_acknowledged(i)) << "those that are written make room";
  }
  EXPECT_EQ(written(), kLetters);
  EXPECT_TRUE(eventually([&] { return bytes() < kLetterBytes; }));
}

TEST_F(BrokerFaultTest, StopsInTimeWhileTheDiskIsFullAndAnswersWhoeverWaits) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  const auto all = broker.attach("all");
  EXPECT_EQ(publish_without_notes(broker, event(1, 1)), "accepted");
  ASSERT_TRUE(all->wait_count(1));
  std::promise<std::string> acknowledged;
  broker->acknowledge(everyone(), "all", {.number = 1}, [&](const base::Result<void>& done) {
    acknowledged.set_value(base::describe(done));
  });
  std::promise<std::string> forgotten;
  broker->forget(
      everyone(), "all", event::event_of(event(1, 1)),
      [&](const base::Result<bool>& done) { forgotten.set_value(base::describe(done)); });
  broker.session.reset();
  broker.stop();
  EXPECT_NE(acknowledged.get_future().get(), "ok");
  EXPECT_NE(forgotten.get_future().get(), "ok");
  files_.set_capacity(UINT64_MAX);
  broker.open_again();
  EXPECT_EQ(broker->get(everyone(), "all")->counts.pending, 1U);
}

TEST_F(BrokerFaultTest, StartsOnAFullDiskForReadersOnlyAndWritesWhenThereIsRoom) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"all"})"), "ok");
  for (int i = 1; i <= 100; ++i) ASSERT_EQ(broker.publish(event(i, i)), "accepted");
  broker.stop();
  files_.set_capacity(1);
  for (int start = 0; start < 2; ++start) {
    broker.open_again();
    ASSERT_TRUE(broker->trouble()) << "from the beginning";
    EXPECT_EQ(broker->trouble()->id, base::ErrorId::kStoreFull);
    EXPECT_EQ(broker.publish(event(101, 1)), "store.full");
    const auto all = broker.attach("all");
    ASSERT_TRUE(all->wait_count(100));
  }
  files_.set_capacity(UINT64_MAX);
  ASSERT_TRUE(eventually([&] { return !broker->trouble(); })) << "by itself";
  EXPECT_EQ(broker.publish(event(101, 1)), "accepted");
  EXPECT_EQ(broker.acknowledge("all", 100), "ok");
  for (const auto& [path, text] : files_.contents()) {
    EXPECT_THAT(path, testing::Not(testing::EndsWith("room-probe")));
  }
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
