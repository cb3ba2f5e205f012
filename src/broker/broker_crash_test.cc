// SPDX-License-Identifier: Apache-2.0
// Crashes of a broker at chosen moments: a copy of its directory is what a crash would have left.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;

class BrokerCrashTest : public testing::Test {
 protected:
  BrokerOptions options() {
    return {.directory = directory_ / "0", .shard_count = 2, .clocks = [this] {
              return at_instant(base::Instant{now_.fetch_add(1000)});
            }};
  }
  void pass(base::Duration duration) { now_ += duration.nanoseconds; }

  // What a broker finds that is started after the one on the last directory has crashed now.
  std::unique_ptr<TestBroker> after_crash() {
    BrokerOptions again = options();
    const std::filesystem::path before = directory_ / std::to_string(crash_count_);
    again.directory = directory_ / std::to_string(++crash_count_);
    EXPECT_TRUE(eventually([&] { return copy_running(before, again.directory); }));
    return std::make_unique<TestBroker>(again);
  }

  base::TemporaryDirectory directory_;
  std::atomic<std::int64_t> now_{1'700'000'000'000'000'000};
  int crash_count_ = 0;
};

std::string event(int id, int value) {
  return fmt::format(R"({{"id":"{}","data":{{"v":{}}}}})", id, value);
}

constexpr const char* kPaced =
    R"({"id":"c","filters":[{"weir":"change(data.v) > 1 at most every 10s"}]})";

// Events 1 and 2, of which the second is delivered by the time that passes.
std::shared_ptr<RecordingConsumer> deliver_two(TestBroker& broker) {
  EXPECT_EQ(broker.put(kPaced), "ok");
  auto consumer = broker.attach("c");
  EXPECT_EQ(broker.publish(event(1, 1)), "accepted");
  EXPECT_EQ(broker.publish(event(2, 5)), "accepted");
  EXPECT_TRUE(consumer->wait_count(1));
  return consumer;
}

// What the subscriber gets of a third event: only that, under the next number.
void expect_third(TestBroker& broker) {
  const auto consumer = broker.attach("c");
  ASSERT_EQ(broker.publish(event(3, 50)), "accepted");
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_THAT(consumer->ids(), ElementsAre("3"));
  EXPECT_EQ(consumer->received().front().number, 3U);
}

TEST_F(BrokerCrashTest, WhatTimeDeliveredAndWasAcknowledgedStaysSo) {
  TestBroker broker(options());
  const auto consumer = deliver_two(broker);
  pass(base::Duration::seconds(11));
  ASSERT_TRUE(consumer->wait_count(2));
  ASSERT_EQ(broker.acknowledge("c", 2), "ok");
  const auto again = after_crash();
  pass(base::Duration::seconds(11));
  expect_third(*again);
}

TEST_F(BrokerCrashTest, WhatTimeDeliveredIsNotLostToACheckpoint) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"d","filters":[{"weir":"distinct(data.v) within 1h"}]})"), "ok");
  const auto consumer = deliver_two(broker);
  pass(base::Duration::seconds(11));
  ASSERT_TRUE(consumer->wait_count(2));
  ASSERT_EQ(broker.forget("d", event(1, 1)), "true") << "answered when a checkpoint is written";
  const auto again = after_crash();
  const auto second = again->attach("c");
  ASSERT_TRUE(second->wait_count(2));
  EXPECT_THAT(second->ids(), ElementsAre("1", "2"));
  EXPECT_TRUE(second->received().back().redelivered);
  ASSERT_EQ(again->acknowledge("c", 2), "ok");
  pass(base::Duration::seconds(11));
  expect_third(*again);
}

TEST_F(BrokerCrashTest, WhatTimeDeliveredBeforeACrashIsMarkedAfterIt) {
  TestBroker broker(options());
  const auto consumer = deliver_two(broker);
  pass(base::Duration::seconds(11));
  ASSERT_TRUE(consumer->wait_count(2));
  const auto again = after_crash();
  const auto second = again->attach("c");
  ASSERT_TRUE(second->wait_count(2));
  EXPECT_THAT(second->ids(), ElementsAre("1", "2"));
  EXPECT_EQ(second->received().back().number, 2U);
  EXPECT_TRUE(second->received().back().redelivered);
}

// The first crash leaves events that are not noted; what recovery makes of them is acknowledged
// before the second.
TEST_F(BrokerCrashTest, WhatRecoveryDeliveredAndWasAcknowledgedStaysSo) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"c"})"), "ok");
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_EQ(broker.publish(event(2, 2)), "accepted");
  const auto once = after_crash();
  ASSERT_TRUE(once->attach("c")->wait_count(2));
  ASSERT_EQ(once->acknowledge("c", 2), "ok");
  const auto twice = after_crash();
  expect_third(*twice);
}

// The new filter is in force from a later event on: notes on what is pending stand before that.
TEST_F(BrokerCrashTest, WhatIsPendingWhenTheFilterIsReplacedIsNotLost) {
  TestBroker broker(options());
  ASSERT_EQ(broker.put(R"({"id":"c"})"), "ok");
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_EQ(broker.publish(event(2, 2)), "accepted");
  ASSERT_EQ(broker.put(R"({"id":"c","filters":[{"weir":"data.v > 10"}]})"), "ok");
  ASSERT_EQ(broker.publish(event(3, 50)), "accepted");
  const auto again = after_crash();
  const auto consumer = again->attach("c");
  ASSERT_TRUE(consumer->wait_count(3));
  EXPECT_THAT(consumer->ids(), ElementsAre("1", "2", "3"));
}

// Score, epoch and snippets are those of when it matched, whatever the statistics are later.
TEST_F(BrokerCrashTest, ADeliveryOfATextSaysWhyAfterACrashToo) {
  TestBroker broker(options());
  ASSERT_EQ(
      broker.put(R"({"id":"t","filters":[{"weir":"text(data.t) about 'storm' score >= 0.5"}],)"
                 R"("config":{"highlight":{"before":"*","after":"*"}}})"),
      "ok");
  const auto document = [](int id, std::string_view text) {
    return fmt::format(R"({{"id":"{}","data":{{"t":"{}"}}}})", id, text);
  };
  ASSERT_EQ(broker.publish(document(1, "calm")), "accepted");
  ASSERT_EQ(broker.publish(document(2, "storms at sea")), "accepted");
  const std::string said = R"("weirscore":"0.6931","weirepoch":2,"weirterms":"storm=0.6931",)"
                           R"("weirhighlight":"*storms* at sea"})";
  const auto before = broker.attach("t");
  ASSERT_TRUE(before->wait_count(1));
  EXPECT_THAT(before->received()[0].texts[0], testing::EndsWith(said));
  ASSERT_EQ(broker.publish(document(3, "calm")), "accepted");

  const auto again = after_crash();
  const auto after = again->attach("t");
  ASSERT_EQ(again->publish(document(4, "storm")), "accepted");
  ASSERT_TRUE(after->wait_count(2));
  EXPECT_THAT(after->received()[0].texts[0], testing::EndsWith(said));
  EXPECT_THAT(after->received()[1].texts[0],
              testing::HasSubstr(R"("weirscore":"0.6931","weirepoch":4,)"))
      << "what was counted is known after a crash";
}

std::filesystem::path segment_of(const std::filesystem::path& directory) {
  return directory / "log" / "00000000000000000001.log";
}

// Where each note ends in a segment of the log.
std::vector<std::uintmax_t> note_ends(const std::filesystem::path& path) {
  constexpr std::size_t kHeaderBytes = 56;
  constexpr std::size_t kRecordBytes = 37;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::vector<std::uintmax_t> ends;
  std::size_t at = kHeaderBytes;
  while (at + kRecordBytes <= bytes.size()) {
    std::uint32_t payload_bytes = 0;
    std::memcpy(&payload_bytes, bytes.data() + at + 8, sizeof payload_bytes);
    const bool is_note = bytes[at + 12] == 2;
    at += kRecordBytes + payload_bytes;
    if (is_note) ends.push_back(at);
  }
  return ends;
}

// Whatever notes on the event a crash leaves, each subscription gets it once, under number 1.
TEST_F(BrokerCrashTest, NotesThatAreCutOffCountForNothing) {
  constexpr std::size_t kCount = 20;
  BrokerOptions small_notes = options();
  small_notes.note_bytes_max = 1;
  TestBroker broker(small_notes);
  for (std::size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(broker.put(fmt::format(R"({{"id":"s{}"}})", i)), "ok");
  }
  ASSERT_EQ(broker.publish(event(1, 1)), "accepted");
  ASSERT_TRUE(eventually([&] { return note_ends(segment_of(directory_ / "0")).size() == kCount; }));
  for (const std::size_t left : {std::size_t{0}, std::size_t{1}, kCount / 2, kCount - 1, kCount}) {
    SCOPED_TRACE(left);
    const std::filesystem::path copy = directory_ / fmt::format("copy{}", left);
    ASSERT_TRUE(eventually([&] { return copy_running(directory_ / "0", copy); }));
    const auto ends = note_ends(segment_of(copy));
    ASSERT_EQ(ends.size(), kCount);
    const std::uintmax_t first_note_begin = ends[0] - (ends[1] - ends[0]);
    const std::uintmax_t kept_bytes = left == 0 ? first_note_begin : ends[left - 1];
    lose_end(segment_of(copy), kept_bytes);
    BrokerOptions again = options();
    again.directory = copy;
    TestBroker restarted(again);
    EXPECT_EQ(restarted->stats().pending, kCount);
    for (const char* const id : {"s0", "s7", "s19"}) {
      const auto consumer = restarted.attach(id);
      ASSERT_TRUE(consumer->wait_count(1));
      EXPECT_EQ(consumer->received()[0].number, 1U);
    }
    EXPECT_EQ(restarted.publish(event(2, 2)), "accepted");
    EXPECT_TRUE(eventually([&] { return restarted->stats().pending == 2 * kCount; }));
  }
}

}  // namespace
}  // namespace weir::broker
