// SPDX-License-Identifier: Apache-2.0
// The log knows where it begins and how far it was confirmed: nothing that is missing looks as if
// retention had removed it, or as if it had never been accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error_testing.h"
#include "store/event_log.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"
#include "store/log_bounds.h"

namespace weir::store {
namespace {

using base::describe;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr LogOptions kOptions{.segment_bytes = 200, .retention_bytes = 500};
constexpr const char* kFirst = "log/00000000000000000001.log";
constexpr int kCommitCount = 8;

std::string opened(const LogFiles& contents) {
  FaultFileSystem files;
  files.set_contents(contents);
  return describe(EventLog::open(files, kLogDirectory, kOptions));
}

// Four segments.
LogFiles small_log() {
  FaultFileSystem files;
  const auto log = open_log(files, kOptions);
  for (int i = 0; i < kCommitCount; ++i) {
    EXPECT_TRUE(commit_events(*log, {"payload", "payload"}));
  }
  EXPECT_EQ(segment_files(files).size(), 4U);
  return files.contents();
}

TEST(EventLogBoundsTest, AMissingBeginningIsNotTakenForRetention) {
  LogFiles files = small_log();
  files.erase(kFirst);
  EXPECT_THAT(opened(files),
              AllOf(StartsWith("store.incomplete - log/00000000000000000001.log is missing"),
                    HasSubstr("events 1 to 4 are gone"), HasSubstr("weir doctor")));
  files.erase("log/00000000000000000002.log");
  EXPECT_THAT(opened(files), StartsWith("store.incomplete - "));
  const std::string bounds = files.at(kBoundsPath);
  EXPECT_THAT(opened({{kBoundsPath, bounds}}),
              AllOf(StartsWith("store.incomplete - log/00000000000000000001.log is missing"),
                    HasSubstr("events 1 to 16 are gone")));
}

TEST(EventLogBoundsTest, RetentionMovesTheBeginning) {
  FaultFileSystem files;
  auto log = open_log(files, kOptions);
  for (int i = 0; i < kCommitCount; ++i) ASSERT_TRUE(commit_events(*log, {"payload", "payload"}));
  ASSERT_GT(log->retain({0}).value(), 0U);
  const std::uint64_t first = log->first_sequence();
  log = open_log(files, kOptions);
  EXPECT_EQ(log->first_sequence(), first);
  LogFiles contents = files.contents();
  contents.erase(contents.begin());
  EXPECT_THAT(opened(contents), StartsWith("store.incomplete - "));
}

// The beginning is durable before the segment is gone: whatever a crash leaves can be opened.
TEST(EventLogBoundsTest, ACrashDuringRetentionLeavesALogThatOpens) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    FaultFileSystem files;
    base::Prng prng(seed);
    auto log = open_log(files, kOptions);
    for (int i = 0; i < kCommitCount; ++i) ASSERT_TRUE(commit_events(*log, {"payload", "payload"}));
    using enum FileOperation;
    files.fail(seed % 3 == 0 ? kRemove : seed % 3 == 1 ? kSync : kSyncDirectory, prng.below(4));
    [[maybe_unused]] const auto retained = log->retain({0});
    log.reset();
    files.fail_nothing();
    files.crash(prng);
    log = open_log(files, kOptions);
    ASSERT_TRUE(log) << seed;
    EXPECT_EQ(log->next_sequence(), 17U);
    EXPECT_EQ(lines_from(*log, 0).lines.size(), 17 - log->first_sequence());
  }
}

TEST(EventLogBoundsTest, EveryCutOfTheConfirmedEndIsRefused) {
  const LogFiles whole = small_log();
  const std::string last = "log/00000000000000000004.log";
  const std::size_t size = whole.at(last).size();
  for (std::size_t cut = 0; cut < size; ++cut) {
    LogFiles files = whole;
    files[last].resize(cut);
    EXPECT_THAT(opened(files), AllOf(HasSubstr(last), HasSubstr("offset"), HasSubstr("doctor")))
        << cut;
  }
  LogFiles files = whole;
  files[last].resize(size - 1);
  EXPECT_THAT(opened(files), AllOf(StartsWith("store.incomplete - " + last + " ends at offset"),
                                   HasSubstr("event 16 is gone")));
  files.erase(last);
  EXPECT_THAT(opened(files), StartsWith("store.incomplete - " + last + " is missing"));
}

// A crash came while the next segment was made: it cannot tell how long the one before was.
TEST(EventLogBoundsTest, TheEndIsKnownBesideASegmentThatIsJustBeingMade) {
  LogFiles files = small_log();
  files["log/00000000000000000005.log"] = "";
  EXPECT_EQ(opened(files), "ok");
  std::string& last = files["log/00000000000000000004.log"];
  last.resize(last.size() - 44);  // one record
  EXPECT_THAT(opened(files), StartsWith("store.incomplete - log/00000000000000000004.log ends at"));
}

TEST(EventLogBoundsTest, EveryChangedByteOfTheConfirmedEndIsRefused) {
  const LogFiles whole = small_log();
  const std::string last = "log/00000000000000000004.log";
  for (std::size_t i = 0; i < whole.at(last).size(); ++i) {
    LogFiles files = whole;
    files[last][i] = static_cast<char>(files[last][i] ^ 0x10);
    EXPECT_THAT(opened(files), AllOf(StartsWith("store."), HasSubstr(last), HasSubstr("offset")))
        << i;
  }
}

TEST(EventLogBoundsTest, OneWholeSlotIsEnough) {
  const LogFiles whole = small_log();
  for (std::size_t kept = 0; kept < kBoundsSlotCount; ++kept) {
    LogFiles files = whole;
    for (std::size_t slot = 0; slot < kBoundsSlotCount; ++slot) {
      if (slot != kept) files[kBoundsPath][slot * kBoundsSectorBytes + 20] ^= 1;
    }
    EXPECT_EQ(opened(files), "ok") << kept;
    files.erase(kFirst);
    EXPECT_THAT(opened(files), StartsWith("store.incomplete - ")) << kept;
  }
}

TEST(EventLogBoundsTest, WithoutAWholeSlotNothingIsGuessed) {
  LogFiles files = small_log();
  for (std::size_t slot = 0; slot < kBoundsSlotCount; ++slot) {
    files[kBoundsPath][slot * kBoundsSectorBytes + 20] ^= 1;
  }
  EXPECT_THAT(opened(files), StartsWith("store.incomplete - log/BOUNDS is damaged at offset 0"));
  files[kBoundsPath].clear();
  EXPECT_THAT(opened(files), StartsWith("store.incomplete - log/BOUNDS is damaged at offset 0"));
  files.erase(kBoundsPath);
  EXPECT_THAT(opened(files), StartsWith("store.incomplete - log/BOUNDS is missing"));
}

// A mark costs a write and no sync: a commit has one sync as before.
TEST(EventLogBoundsTest, ACommitHasOneSync) {
  FaultFileSystem files;
  const auto log = open_log(files);
  ASSERT_TRUE(commit_events(*log, {"a"}));
  const std::uint64_t before = files.count(FileOperation::kSync);
  ASSERT_TRUE(commit_events(*log, {"b"}));
  EXPECT_EQ(files.count(FileOperation::kSync), before + 1);
  ASSERT_TRUE(log->finish());
  base::Prng prng(1);
  files.crash(prng);
  const auto bounds = read_bounds(files, kLogDirectory).value();
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->damaged_count, 0U);
  EXPECT_EQ(bounds->bounds.next_sequence, 3U);
}

}  // namespace
}  // namespace weir::store
