// SPDX-License-Identifier: Apache-2.0
// A broker's directory as people copy it while the broker runs, in every order and incompletely:
// either a broker starts on it and has everything, or it tells what is wrong and what to do.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "broker/broker_testing.h"
#include "broker/directory_files_testing.h"
#include "broker/repair.h"
#include "store/database.h"

namespace weir::broker {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

bool is_of_log(const std::string& name) { return name.starts_with("log/"); }

// The log of one copy with the registry of another.
Files mixed(const Files& log, const Files& registry) {
  Files files;
  for (const auto& [name, bytes] : log) {
    if (is_of_log(name)) files[name] = bytes;
  }
  for (const auto& [name, bytes] : registry) {
    if (!is_of_log(name)) files[name] = bytes;
  }
  return files;
}

Files without(Files files, const std::string& name) {
  EXPECT_EQ(files.erase(name), 1U) << name;
  return files;
}

std::vector<std::string> segments(const Files& files) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files) {
    if (name.ends_with(".log")) names.push_back(name);
  }
  return names;
}

// A broker with the subscriptions a and b, copied after 40 events, half of them acknowledged by a,
// and again after as many more and one more subscription.
class BrokerCopyTest : public testing::Test {
 protected:
  void SetUp() override {
    broker_ = std::make_unique<TestBroker>(options("data"));
    ASSERT_EQ(broker_->put(R"({"id":"a"})"), "ok");
    ASSERT_EQ(broker_->put(R"({"id":"b","filters":[{"weir":"change(data.v) > 1"}]})"), "ok");
    advance(0, 20);
    early_ = read_files(directory_ / "data");
    ASSERT_EQ(broker_->put(R"({"id":"c"})"), "ok");
    checkpoint();
    advance(40, 60);
    late_ = read_files(directory_ / "data");
    ASSERT_GE(segments(late_).size(), 3U);
  }

  // 40 events from this id on, and an acknowledgement.
  void advance(int id, std::uint64_t acknowledged) {
    const auto consumer = broker_->attach("a");
    for (int i = 0; i < 40; ++i) {
      ASSERT_EQ(broker_->publish(fmt::format(R"({{"id":"{}","data":{{"v":{}}}}})", id + i, 3 * i)),
                "accepted");
    }
    ASSERT_TRUE(consumer->wait_count(acknowledged - static_cast<std::uint64_t>(id) / 2));
    ASSERT_EQ(broker_->acknowledge("a", acknowledged), "ok");
    ASSERT_TRUE(eventually([&] { return (*broker_)->get(everyone(), "b")->counts.pending > 0; }));
  }

  // SQLite moves what its write-ahead log has into the database, and begins the log anew.
  void checkpoint() {
    const auto registry = store::Database::open(directory_ / "data" / "registry.sqlite", {});
    ASSERT_EQ(base::describe((*registry)->execute("PRAGMA wal_checkpoint(RESTART)")), "ok");
  }

  BrokerOptions options(const std::string& name) {
    return {.directory = directory_ / name,
            .lock_patience = {},
            .shard_count = 2,
            .log = {.segment_bytes = 3000}};
  }

  std::string place(const Files& files) {
    const std::string name = fmt::format("copy{}", ++copy_count_);
    write_files(files, directory_ / name);
    return name;
  }

  std::string opening(const std::string& name) {
    return base::describe(Broker::open(options(name)));
  }
  std::string opening(const Files& files) { return opening(place(files)); }

  // Everything that a has not acknowledged comes, and a new event too.
  void expect_complete(const std::string& name, int first, int last) {
    TestBroker broker(options(name));
    const auto consumer = broker.attach("a");
    ASSERT_EQ(broker.publish(R"({"id":"new"})"), "accepted");
    std::vector<std::string> ids;
    for (int i = first; i <= last; ++i) ids.push_back(std::to_string(i));
    ids.emplace_back("new");
    ASSERT_TRUE(consumer->wait_count(ids.size()));
    EXPECT_EQ(consumer->ids(), ids);
  }

  base::TemporaryDirectory directory_;
  std::unique_ptr<TestBroker> broker_;
  Files early_;
  Files late_;
  int copy_count_ = 0;
};

TEST_F(BrokerCopyTest, StartsOnWholeCopies) {
  expect_complete(place(early_), 20, 39);
  expect_complete(place(late_), 60, 79);
}

TEST_F(BrokerCopyTest, StartsWithoutTheSharedMemoryOfTheRegistry) {
  expect_complete(place(without(late_, "registry.sqlite-shm")), 60, 79);
}

TEST_F(BrokerCopyTest, StartsWithoutTheIdentityOfTheLog) {
  expect_complete(place(without(late_, "log/IDENTITY")), 60, 79);
}

TEST_F(BrokerCopyTest, StartsOnALogThatIsNewerThanTheRegistry) {
  expect_complete(place(mixed(late_, early_)), 20, 79);
}

// The log has deliveries of subscription number 3, which the registry does not know.
TEST_F(BrokerCopyTest, GivesNoSubscriptionTheDeliveriesOfOneThatIsNotKnownAnyMore) {
  TestBroker broker(options(place(mixed(late_, early_))));
  ASSERT_EQ(broker.put(R"({"id":"d"})"), "ok");
  broker.open_again();
  ASSERT_EQ(broker.publish(R"({"id":"new"})"), "accepted");
  const auto consumer = broker.attach("d");
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_THAT(consumer->ids(), testing::ElementsAre("new"));
}

TEST_F(BrokerCopyTest, TellsThatTheLogIsOlderThanTheRegistry) {
  EXPECT_THAT(opening(mixed(early_, late_)),
              AllOf(StartsWith("store.mismatch"), HasSubstr("knows of event 80"),
                    HasSubstr("ends with event 40"), HasSubstr("Copy log/ again")));
}

TEST_F(BrokerCopyTest, TellsThatTheLogIsMissing) {
  EXPECT_THAT(opening(mixed({}, late_)),
              AllOf(StartsWith("store.mismatch"), HasSubstr("ends with event 0")));
}

TEST_F(BrokerCopyTest, TellsThatTheLastSegmentIsNotComplete) {
  const std::string last = segments(late_).back();
  const std::string bytes = late_.at(last);
  for (const std::size_t size : {std::size_t{0}, std::size_t{30}, bytes.size() / 2}) {
    Files files = late_;
    files[last] = bytes.substr(0, size);
    EXPECT_THAT(opening(files),
                AllOf(StartsWith("store.incomplete"), HasSubstr(last),
                      HasSubstr("BOUNDS before the segments"), HasSubstr("weir doctor --repair")))
        << size;
  }
  EXPECT_THAT(opening(without(late_, last)),
              AllOf(StartsWith("store.incomplete"), HasSubstr(last + " is missing")));
}

TEST_F(BrokerCopyTest, TellsThatTheFirstSegmentIsMissing) {
  const std::string first = segments(late_).front();
  EXPECT_THAT(opening(without(late_, first)),
              AllOf(StartsWith("store.incomplete"), HasSubstr(first + " is missing"),
                    HasSubstr("events 1 to ")));
}

TEST_F(BrokerCopyTest, TellsThatTheBoundsAreMissingOrNewerThanTheLog) {
  EXPECT_THAT(opening(without(late_, "log/BOUNDS")),
              AllOf(StartsWith("store.incomplete"), HasSubstr("log/BOUNDS is missing")));
  Files files = early_;
  files["log/BOUNDS"] = late_.at("log/BOUNDS");
  EXPECT_THAT(opening(files), StartsWith("store.incomplete"));
  files = late_;
  files["log/BOUNDS"] = early_.at("log/BOUNDS");
  expect_complete(place(files), 60, 79);
}

TEST_F(BrokerCopyTest, TellsThatAnOlderSegmentIsNotComplete) {
  const std::vector<std::string> names = segments(late_);
  Files cut = late_;
  cut[names[1]].resize(cut[names[1]].size() / 2);
  EXPECT_THAT(opening(cut), AllOf(StartsWith("store.corrupt"), HasSubstr(names[1].substr(4)),
                                  HasSubstr("bytes instead of"), HasSubstr("copy the file again")));
  EXPECT_THAT(opening(without(late_, names[1])),
              AllOf(StartsWith("store.corrupt"), HasSubstr(names[1].substr(4) + ", is missing"),
                    HasSubstr("copy the file again")));
}

TEST_F(BrokerCopyTest, TellsThatPartsOfTheRegistryAreMissing) {
  EXPECT_THAT(opening(without(late_, "registry.sqlite-wal")),
              AllOf(StartsWith("store.corrupt"), HasSubstr("registry.sqlite-wal is missing"),
                    HasSubstr("make an empty")));
  EXPECT_THAT(opening(without(late_, "registry.sqlite")),
              AllOf(StartsWith("store.corrupt"), HasSubstr("registry.sqlite is missing")));
  EXPECT_THAT(opening(mixed(late_, {})),
              AllOf(StartsWith("store.mismatch"),
                    HasSubstr("registry.sqlite is missing, new, or older than the log")));
}

TEST_F(BrokerCopyTest, TellsThatTheRegistryAndItsLogAreOfDifferentTimes) {
  Files newer_log = late_;
  newer_log["registry.sqlite"] = early_.at("registry.sqlite");
  EXPECT_THAT(opening(newer_log), StartsWith("store.mismatch"));
  // The older write-ahead log may have all pages that differ: then it is as when that was copied.
  checkpoint();
  Files newer_file = early_;
  newer_file["registry.sqlite"] = read_files(directory_ / "data").at("registry.sqlite");
  const std::string name = place(newer_file);
  const std::string outcome = opening(name);
  if (outcome == "ok") return expect_complete(name, 20, 39);
  EXPECT_THAT(outcome, StartsWith("store.mismatch"));
}

TEST_F(BrokerCopyTest, TellsThatTheRegistryIsOfAnotherStore) {
  TestBroker other(options("other"));
  ASSERT_EQ(other.put(R"({"id":"a"})"), "ok");
  const Files files = read_files(directory_ / "other");
  EXPECT_THAT(opening(mixed(late_, files)),
              AllOf(StartsWith("store.mismatch"), HasSubstr("copy both from one directory")));
  EXPECT_THAT(opening(mixed(files, late_)), StartsWith("store.mismatch"));
}

TEST_F(BrokerCopyTest, GoesOnWithoutTheLostEventsWhenTold) {
  const std::string name = place(mixed(early_, late_));
  ASSERT_THAT(opening(name), StartsWith("store.mismatch"));
  const auto repair = repair_directory(directory_ / name);
  ASSERT_EQ(base::describe(repair), "ok");
  ASSERT_EQ(repair->records.size(), 1U);
  EXPECT_EQ(repair->records[0].first_sequence, 41U);
  EXPECT_EQ(repair->records[0].next_sequence, 81U);
  TestBroker broker(options(name));
  ASSERT_EQ(broker.publish(R"({"id":"new"})"), "accepted");
  const auto consumer = broker.attach("a");
  ASSERT_TRUE(consumer->wait_count(1));
  EXPECT_THAT(consumer->ids(), testing::ElementsAre("new"));
}

// A registry that sqlite3's .backup made has no write-ahead log.
TEST_F(BrokerCopyTest, StartsWithAnEmptyLogOfTheRegistryWhenTold) {
  broker_->stop();
  const Files files = read_files(directory_ / "data");
  const std::string name = place(without(files, "registry.sqlite-wal"));
  ASSERT_THAT(opening(name), StartsWith("store.corrupt"));
  std::ofstream(directory_ / name / "registry.sqlite-wal").flush();
  expect_complete(name, 60, 79);
}

}  // namespace
}  // namespace weir::broker
