// SPDX-License-Identifier: Apache-2.0
#include "broker/restart_guard.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::broker {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kMax = RestartGuard::kFailedStartsMax;

// Starts that end at this event.
void end_at(store::FileSystem& files, const std::filesystem::path& directory,
            std::uint64_t sequence, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    RestartGuard guard(files, directory);
    EXPECT_TRUE(guard.begin(sequence - 1));
    EXPECT_TRUE(guard.begin(sequence));
  }
}

TEST(RestartGuardTest, SkipsAnEventAtWhichStartsHaveEnded) {
  const base::TemporaryDirectory directory;
  store::FileSystem& files = store::posix_file_system();
  end_at(files, directory.path(), 42, kMax);
  RestartGuard guard(files, directory.path());
  EXPECT_TRUE(guard.begin(41));
  EXPECT_FALSE(guard.begin(42));
  EXPECT_TRUE(guard.begin(43));
  guard.finish();
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_TRUE(RestartGuard(files, directory.path()).begin(42)) << "a start has succeeded since";
}

TEST(RestartGuardTest, CountsStartsInARowAtOneEventOnly) {
  const base::TemporaryDirectory directory;
  store::FileSystem& files = store::posix_file_system();
  end_at(files, directory.path(), 42, kMax - 1);
  end_at(files, directory.path(), 50, 1);
  EXPECT_TRUE(RestartGuard(files, directory.path()).begin(42));
}

TEST(RestartGuardTest, AFileThatIsDamagedOrCannotBeWrittenStopsNothing) {
  store::FaultFileSystem files;
  ASSERT_TRUE(files.create_directory("data"));
  end_at(files, "data", 42, kMax);
  auto contents = files.contents();
  contents.begin()->second[0] ^= 1;
  files.set_contents(contents);
  EXPECT_TRUE(RestartGuard(files, "data").begin(42));
  files.set_capacity(0);
  RestartGuard guard(files, "data");
  for (std::uint64_t i = 0; i < 2 * kMax; ++i) EXPECT_TRUE(guard.begin(i));
  guard.finish();
}

std::string document(int id, std::string_view text) {
  return fmt::format(R"({{"id":"{}","data":{{"t":"{}"}}}})", id, text);
}

// Cuts the notes behind the last event of a segment off, as a loss of power may.
void cut_last_notes(const std::filesystem::path& path) {
  constexpr std::size_t kHeaderBytes = 56;
  constexpr std::size_t kRecordBytes = 37;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::size_t event_end = 0;
  for (std::size_t at = kHeaderBytes; at + kRecordBytes <= bytes.size();) {
    std::uint32_t payload_bytes = 0;
    std::memcpy(&payload_bytes, bytes.data() + at + 8, sizeof payload_bytes);
    const bool is_event = bytes[at + 12] == 1;
    at += kRecordBytes + payload_bytes;
    if (is_event) event_end = at;
  }
  lose_end(path, event_end);
}

// Three starts have ended at the second event.
TEST(RestartGuardTest, AnEventThatEndsEveryStartIsADeadLetterOfFiltersWithState) {
  const base::TemporaryDirectory directory;
  const std::filesystem::path crashed = directory / "crashed";
  BrokerOptions options{.directory = directory / "data", .shard_count = 2};
  {
    TestBroker broker(options);
    ASSERT_EQ(broker.put(R"({"id":"text","filters":[{"weir":"text(data.t) about any 'storm'"}]})"),
              "ok");
    ASSERT_EQ(broker.put(R"({"id":"other","filters":[{"weir":"id = '7'"}]})"), "ok");
    ASSERT_EQ(broker.put(R"({"id":"plain"})"), "ok");
    ASSERT_EQ(broker.publish(document(1, "storm")), "accepted");
    ASSERT_EQ(broker.publish(document(2, "storm of storms")), "accepted");
    ASSERT_TRUE(eventually([&] { return copy_running(options.directory, crashed); }));
  }
  cut_last_notes(crashed / "log" / "00000000000000000001.log");
  end_at(store::posix_file_system(), crashed, 2, kMax);
  options.directory = crashed;
  TestBroker broker(options);
  EXPECT_EQ(broker->stats().recovered_skipped, 1U);
  ASSERT_TRUE(eventually([&] { return broker->stats().buried == 1; }));
  const auto plain = broker.attach("plain");
  ASSERT_EQ(broker.publish(document(3, "storm")), "accepted");
  ASSERT_TRUE(plain->wait_count(3));
  EXPECT_THAT(plain->ids(), ElementsAre("1", "2", "3"));
  const auto text = broker.attach("text");
  ASSERT_TRUE(text->wait_count(2));
  EXPECT_THAT(text->ids(), ElementsAre("1", "3"));
  EXPECT_FALSE(std::filesystem::exists(crashed / kRestartGuardName));
}

}  // namespace
}  // namespace weir::broker
