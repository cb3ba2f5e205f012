// SPDX-License-Identifier: Apache-2.0
// The doctor on directories that are whole, and damaged in every way.
#include "broker/doctor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/error_testing.h"
#include "base/prng.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "store/database.h"
#include "store/log_bounds.h"

namespace weir::broker {
namespace {

using store::kBoundsName;
using store::kBoundsSectorBytes;
using store::kBoundsSlotBytes;
using store::Severity;
using testing::HasSubstr;

using Files = std::map<std::string, std::string>;

Files read_all(const std::filesystem::path& directory) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[std::filesystem::relative(entry.path(), directory)] = {std::istreambuf_iterator<char>(in),
                                                                 {}};
  }
  return files;
}

class DoctorTest : public testing::Test {
 protected:
  void SetUp() override {
    TestBroker broker(options());
    ASSERT_EQ(broker.put(R"({"id":"a"})"), "ok");
    ASSERT_EQ(broker.put(R"({"id":"b","filters":[{"weir":"change(data.v) > 1"}]})"), "ok");
    const auto consumer = broker.attach("a");
    for (int i = 0; i < 40; ++i) {
      ASSERT_EQ(broker.publish(fmt::format(R"({{"id":"{}","data":{{"v":{}}}}})", i, 3 * i)),
                "accepted");
    }
    ASSERT_TRUE(consumer->wait_count(40));
    ASSERT_EQ(broker.acknowledge("a", 20), "ok");
    broker.stop();
    whole_ = read_all(directory_ / "data");
  }

  BrokerOptions options() {
    return {.directory = directory_ / "data",
            .lock_patience = {},
            .shard_count = 2,
            .log = {.segment_bytes = 2000}};  // events alone fill two of them
  }

  void place(const Files& files) {
    std::filesystem::remove_all(directory_ / "data");
    std::filesystem::create_directories(directory_ / "data" / "log");
    for (const auto& [file, bytes] : files) {
      std::ofstream(directory_ / "data" / file, std::ios::binary) << bytes;
    }
  }

  DoctorReport examine() { return examine_directory(directory_ / "data").value(); }
  DoctorReport examine(const Files& files) {
    place(files);
    return examine();
  }

  void execute(const std::string& sql) {
    const auto registry = store::Database::open(directory_ / "data" / "registry.sqlite", {});
    ASSERT_EQ(base::describe((*registry)->execute(sql)), "ok");
  }

  // All that the findings tell.
  std::string told() {
    std::string text;
    const DoctorReport report = examine();
    for (const store::Finding& finding : report.findings.list()) {
      EXPECT_FALSE(finding.consequence.empty() || finding.advice.empty());
      text += fmt::format("{} {}: {}\n", to_string(finding.severity), finding.file, finding.what);
    }
    return text;
  }

  base::TemporaryDirectory directory_;
  Files whole_;
};

TEST_F(DoctorTest, FindsNothingWrongAndChangesNothing) {
  const DoctorReport report = examine();
  EXPECT_EQ(told(), "");
  EXPECT_FALSE(report.running);
  EXPECT_EQ(report.log.event_count, 40U);
  EXPECT_EQ(report.log.next_sequence, 41U);
  EXPECT_GE(report.log.segment_count, 3U);
  EXPECT_EQ(report.registry.version, 4);
  EXPECT_EQ(report.registry.subscription_count, 2U);
  EXPECT_TRUE(read_all(directory_ / "data") == whole_);
}

TEST_F(DoctorTest, ExaminesBesideARunningBroker) {
  TestBroker broker(options());
  ASSERT_EQ(broker.publish(R"({"id":"new"})"), "accepted");
  const DoctorReport report = examine();
  EXPECT_TRUE(report.running);
  EXPECT_EQ(report.findings.worst(), Severity::kNote);
  EXPECT_EQ(broker.publish(R"({"id":"newer"})"), "accepted");
}

TEST_F(DoctorTest, NeedsADirectoryOfABroker) {
  EXPECT_THAT(base::describe(examine_directory(directory_ / "none")), HasSubstr("store.target"));
}

TEST_F(DoctorTest, FindsEveryFlippedBitOfTheLog) {
  for (const auto& [name, bytes] : whole_) {
    if (!name.starts_with("log/")) continue;
    for (std::size_t i = 0; i < bytes.size(); i += 13) {
      // Between the slots of the bounds there is nothing.
      if (name.ends_with(kBoundsName) && i % kBoundsSectorBytes >= kBoundsSlotBytes) continue;
      Files files = whole_;
      files[name][i] = static_cast<char>(files[name][i] ^ (1 << (i % 7)));
      const DoctorReport report = examine(files);
      ASSERT_FALSE(report.findings.list().empty()) << name << " " << i;
      const bool is_named = std::ranges::any_of(
          report.findings.list(), [&](const auto& finding) { return finding.file == name; });
      EXPECT_TRUE(is_named) << name << " " << i;
    }
  }
}

// The last notes may be cut off: they are made again.
TEST_F(DoctorTest, FindsEveryCutThatLosesAnEvent) {
  for (const auto& [name, bytes] : whole_) {
    if (!name.starts_with("log/0")) continue;
    for (std::size_t size = 0; size < bytes.size(); size += 29) {
      Files files = whole_;
      files[name].resize(size);
      const DoctorReport report = examine(files);
      const bool is_lost = report.log.event_count < 40;
      EXPECT_TRUE(!is_lost || report.findings.worst() == Severity::kDamage) << name << " " << size;
    }
  }
}

TEST_F(DoctorTest, FindsEverySegmentThatIsMissing) {
  for (const auto& [name, bytes] : whole_) {
    if (!name.starts_with("log/0")) continue;
    Files files = whole_;
    files.erase(name);
    const DoctorReport report = examine(files);
    EXPECT_EQ(report.findings.worst(), Severity::kDamage) << name;
  }
}

// Whatever keeps a broker from starting, the doctor finds.
TEST_F(DoctorTest, FindsWhatKeepsABrokerFromStarting) {
  base::Prng prng(11);
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    Files files = whole_;
    std::string& bytes = files["registry.sqlite"];
    if (round % 5 == 0) {
      bytes.resize(prng.below(bytes.size()));
    } else {
      const std::size_t begin = prng.below(bytes.size());
      const std::size_t count = std::min<std::size_t>(1 + prng.below(64), bytes.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        bytes[begin + i] = static_cast<char>(prng.below(256));
      }
    }
    place(files);
    const auto report = examine_directory(directory_ / "data");
    ASSERT_EQ(base::describe(report), "ok");
    const auto opened = Broker::open(options());
    if (opened) continue;
    ++refused;
    EXPECT_EQ(report->findings.worst(), Severity::kDamage)
        << round << " " << base::describe(opened);
  }
  EXPECT_GT(refused, 10);
}

TEST_F(DoctorTest, ExplainsRowsThatCannotBe) {
  execute(
      "PRAGMA foreign_keys = OFF;"
      "UPDATE subscriptions SET definition = '{\"filters\":1}' WHERE id = 'b';"
      "UPDATE cursors SET acknowledged = acknowledged + 3 WHERE subscription = 1;"
      "INSERT INTO tokens VALUES ('t', 'lookup', 'h', 'nonsense', 0, NULL, 0, 0);"
      "INSERT INTO dead_letters VALUES (1, 5, 0, 'why', '{}', 0);"
      "INSERT INTO dead_letters VALUES (99, 5, 0, 'why', '[]', 0);"
      "UPDATE checkpoint_chunks SET bytes = x'00';");
  const std::string text = told();
  EXPECT_THAT(text, HasSubstr("table subscriptions, number 2: the row is not as it was written"));
  EXPECT_THAT(text, HasSubstr("table tokens, name t: the row is not as it was written"));
  EXPECT_THAT(text, HasSubstr("the definition of subscription 'b' cannot be read"));
  EXPECT_THAT(text, HasSubstr("add up to"));
  EXPECT_THAT(text, HasSubstr("warning registry.sqlite: the grants of token 't' cannot be read"));
  EXPECT_THAT(text, HasSubstr("dead letter 5 of subscription number 1 is no array"));
  EXPECT_THAT(text, HasSubstr("a row of table dead_letters belongs to nothing"));
  EXPECT_THAT(text, HasSubstr("a chunk fails its checksum"));
}

TEST_F(DoctorTest, ComparesLogAndRegistry) {
  execute(
      "UPDATE meta SET value = 50, checksum = row_checksum('meta', name, 50)"
      " WHERE name = 'log_sequence'");
  EXPECT_THAT(told(),
              HasSubstr("damage log: the log ends with event 40, but the registry knows of event "
                        "50"));
  place(whole_);
  execute(
      "UPDATE meta SET value = 5, checksum = row_checksum('meta', name, 5)"
      " WHERE name = 'identity'");
  EXPECT_THAT(told(), HasSubstr("the registry is of store 0000000000000005"));
  place(whole_);
  execute(
      "UPDATE meta SET value = 1, checksum = row_checksum('meta', name, 1)"
      " WHERE name = 'last_subscription_number'");
  EXPECT_THAT(told(), HasSubstr("warning registry.sqlite: the log tells of subscription number 2"));
}

TEST_F(DoctorTest, KnowsAnOlderRegistry) {
  execute("PRAGMA user_version = 2");
  EXPECT_THAT(told(), HasSubstr("note registry.sqlite: the registry has version 2"));
}

}  // namespace
}  // namespace weir::broker
