// SPDX-License-Identifier: Apache-2.0
// Copies of a log that is being written: each opens, and has all that was confirmed before.
#include "store/log_copy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error_testing.h"
#include "base/prng.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"
#include "store/log_bounds.h"

namespace weir::store {
namespace {

constexpr const char* kCopy = "copy";

// The records of the copy, or the error.
std::vector<std::string> copied_lines(FaultFileSystem& files) {
  auto log = EventLog::open(files, kCopy, {});
  if (!log) return {base::describe(log)};
  EXPECT_EQ((*log)->recovery().torn_bytes, 0U) << "a copy ends with a whole record";
  return lines_from(**log, 1).lines;
}

std::string copy_of(FaultFileSystem& files, const std::vector<SnapshotSegment>& segments) {
  LogCopy copy(files, kCopy, {});
  const std::string copied = base::describe(copy.copy(segments));
  // A restore knows them; these ask for nothing.
  if (copied == "ok") EXPECT_TRUE(BoundsFile(files, kCopy, {.first_segment = 1000}).require());
  return copied;
}

std::vector<std::string> payloads(int from, int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(fmt::format("event {} {:40}", from + i, ' '));
  return texts;
}

TEST(LogCopyTest, HasAllThatWasConfirmedWhateverIsWrittenAndRemovedMeanwhile) {
  FaultFileSystem files;
  const auto log = open_log(files, {.segment_bytes = 500, .retention_bytes = 1500});
  ASSERT_EQ(base::describe(commit_events(*log, payloads(1, 15))), "ok");
  const auto segments = take_log_snapshot(files, kLogDirectory);
  ASSERT_EQ(base::describe(segments), "ok");
  const std::vector<std::string> before = lines_from(*log, 1).lines;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(base::describe(commit_events(*log, payloads(16 + 5 * i, 5))), "ok");
    ASSERT_TRUE(log->retain({}).has_value());
  }
  ASSERT_GT(log->first_sequence(), 15U) << "all segments of the snapshot are removed";
  ASSERT_EQ(copy_of(files, *segments), "ok");
  EXPECT_EQ(copied_lines(files), before);
}

TEST(LogCopyTest, EndsWithAWholeRecordWhereverTheLastWriteIsCut) {
  FaultFileSystem files;
  const auto log = open_log(files);
  ASSERT_EQ(base::describe(commit_events(*log, payloads(1, 3))), "ok");
  const std::vector<std::string> confirmed = lines_from(*log, 1).lines;
  const auto start = files.contents();
  ASSERT_EQ(base::describe(commit_events(*log, payloads(4, 3))), "ok");
  const std::vector<std::string> all = lines_from(*log, 1).lines;
  const auto end = files.contents();
  const std::string name = end.begin()->first;
  for (std::size_t size = start.at(name).size(); size <= end.at(name).size(); ++size) {
    FaultFileSystem cut;
    cut.set_contents({{name, end.at(name).substr(0, size)}});
    const auto segments = take_log_snapshot(cut, kLogDirectory);
    ASSERT_EQ(base::describe(segments), "ok");
    ASSERT_EQ(copy_of(cut, *segments), "ok") << size;
    const std::vector<std::string> lines = copied_lines(cut);
    ASSERT_GE(lines.size(), confirmed.size()) << size;
    ASSERT_LE(lines.size(), all.size());
    EXPECT_TRUE(std::equal(lines.begin(), lines.end(), all.begin())) << size;
  }
}

TEST(LogCopyTest, LeavesOutASegmentThatIsJustBeingMade) {
  FaultFileSystem files;
  auto log = open_log(files, {.segment_bytes = 100});
  ASSERT_EQ(base::describe(commit_events(*log, payloads(1, 2))), "ok");
  const std::vector<std::string> before = lines_from(*log, 1).lines;
  auto contents = files.contents();
  contents["log/00000000000000000002.log"] = "WEIRLOG";
  files.set_contents(contents);
  const auto segments = take_log_snapshot(files, kLogDirectory);
  ASSERT_EQ(base::describe(segments), "ok");
  EXPECT_EQ(segments->size(), 1U);
  ASSERT_EQ(copy_of(files, *segments), "ok");
  EXPECT_EQ(copied_lines(files), before);
}

TEST(LogCopyTest, RefusesEveryFlippedBitBeforeTheLastCommit) {
  FaultFileSystem files;
  const auto log = open_log(files, {.segment_bytes = 300});
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(base::describe(commit_events(*log, payloads(1 + 2 * i, 2))), "ok");
  }
  const auto whole = segment_files(files);
  for (const auto& [name, bytes] : whole) {
    if (name == whole.rbegin()->first) break;
    for (std::size_t i = 0; i < bytes.size(); i += 7) {
      auto damaged = whole;
      damaged[name][i] = static_cast<char>(damaged[name][i] ^ 4);
      FaultFileSystem other;
      other.set_contents(damaged);
      const auto segments = take_log_snapshot(other, kLogDirectory);
      const std::string outcome = segments ? copy_of(other, *segments) : base::describe(segments);
      EXPECT_TRUE(outcome.starts_with("store.")) << name << " " << i;
      EXPECT_NE(outcome.find(name), std::string::npos) << outcome;
    }
  }
}

TEST(LogCopyTest, TellsEveryFailureOfTheDisk) {
  using enum FileOperation;
  for (const FileOperation operation : {kCreate, kOpen, kRead, kWrite, kSync, kSyncDirectory}) {
    FaultFileSystem files;
    const auto log = open_log(files, {.segment_bytes = 300});
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(base::describe(commit_events(*log, payloads(1 + 2 * i, 2))), "ok");
    }
    const auto segments = take_log_snapshot(files, kLogDirectory);
    ASSERT_EQ(base::describe(segments), "ok");
    files.fail(operation);
    EXPECT_TRUE(copy_of(files, *segments).starts_with("store.io")) << static_cast<int>(operation);
  }
}

}  // namespace
}  // namespace weir::store
