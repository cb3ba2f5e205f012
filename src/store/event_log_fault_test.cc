// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error_testing.h"
#include "store/event_log.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"
#include "store/log_bounds.h"
#include "store/segment_format.h"

namespace weir::store {
namespace {

using base::describe;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kFirst = "log/00000000000000000001.log";
constexpr const char* kSecond = "log/00000000000000000002.log";

TEST(EventLogFaultTest, AFullDiskStopsTheLogUntilThereIsRoom) {
  FaultFileSystem files;
  auto log = open_log(files);
  ASSERT_EQ(describe(commit_events(*log, {"a", "b"})), "ok");
  files.set_capacity(kBoundsFileBytes + log->size_bytes() + 20);
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(describe(commit_events(*log, {"lost", "too"})),
                StartsWith("store.full - cannot write "));
    EXPECT_EQ(log->next_sequence(), 3U);
    EXPECT_FALSE(log->commit().has_value());
  }
  EXPECT_LE(segment_files(files).size(), 2U);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b"}));
  files.set_capacity(10'000);
  EXPECT_EQ(describe(log->commit()), "ok");
  EXPECT_EQ(describe(commit_events(*log, {"c"})), "ok");
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b", "c"}));
  log = open_log(files);
  EXPECT_EQ(log->recovery().torn_bytes, 0U);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b", "c"}));
}

TEST(EventLogFaultTest, AFullDiskDoesNotFillWithHeaders) {
  FaultFileSystem files;
  const auto log = open_log(files);
  ASSERT_TRUE(commit_events(*log, {"a"}));
  files.set_capacity(kBoundsFileBytes + log->size_bytes() + kSegmentHeaderBytes + 10);
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(commit_events(*log, {std::string(100, 'x')}).has_value());
  }
  EXPECT_EQ(describe(log->commit()), "ok");
  EXPECT_EQ(segment_files(files).size(), 2U);
  files.set_capacity(10'000);
  EXPECT_EQ(describe(commit_events(*log, {"b"})), "ok");
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b"}));
  EXPECT_EQ(segment_files(files).size(), 2U);
}

TEST(EventLogFaultTest, AfterAFailedSyncTheSegmentIsCutAndNotWrittenAgain) {
  FaultFileSystem files;
  auto log = open_log(files);
  ASSERT_TRUE(commit_events(*log, {"a"}));
  const std::string confirmed = files.contents()[kFirst];
  files.fail(FileOperation::kSync);
  EXPECT_EQ(describe(commit_events(*log, {"lost"})),
            "store.io - cannot sync log/00000000000000000001.log: Input/output error");
  EXPECT_EQ(log->next_sequence(), 2U);
  EXPECT_EQ(describe(commit_events(*log, {"b"})), "ok");
  EXPECT_EQ(files.contents()[kFirst], confirmed);
  base::Prng prng(1);
  files.crash(prng);
  log = open_log(files);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b"}));
}

// The bytes are in the kernel's memory, where the next process finds them, but not on the disk.
TEST(EventLogFaultTest, ARestartAfterAFailedSyncMakesWhatItFindsDurable) {
  FaultFileSystem files;
  auto log = open_log(files);
  ASSERT_TRUE(commit_events(*log, {"a"}));
  files.fail(FileOperation::kSync);
  EXPECT_FALSE(commit_events(*log, {"b", "c"}).has_value());
  log = open_log(files);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b", "c"}));
  base::Prng prng(1);
  files.crash(prng);
  log = open_log(files);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b", "c"}));
}

// Every operation of a repair may fail in its turn: the log stays as it was and tries again.
TEST(EventLogFaultTest, TriesARepairAgainUntilItWorks) {
  for (const auto operation :
       {FileOperation::kTruncate, FileOperation::kCreate, FileOperation::kWrite,
        FileOperation::kSync, FileOperation::kSyncDirectory}) {
    SCOPED_TRACE(static_cast<int>(operation));
    FaultFileSystem files;
    auto log = open_log(files);
    ASSERT_TRUE(commit_events(*log, {"a"}));
    files.fail(FileOperation::kWrite, 0, 30);
    EXPECT_FALSE(commit_events(*log, {"lost"}).has_value());
    for (int i = 0; i < 3; ++i) {
      files.fail(operation, 0, 10);
      EXPECT_THAT(describe(log->commit()), HasSubstr("Input/output error"));
      files.fail(operation, 0, 10);
      EXPECT_FALSE(commit_events(*log, {"lost"}).has_value());
    }
    EXPECT_EQ(describe(commit_events(*log, {"b"})), "ok");
    EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b"}));
    log = open_log(files);
    EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b"}));
  }
}

TEST(EventLogFaultTest, AFailedRetentionRemovesTheSegmentLater) {
  for (const auto operation : {FileOperation::kRemove, FileOperation::kSyncDirectory}) {
    FaultFileSystem files;
    const LogOptions options{.segment_bytes = 60, .retention_bytes = 200};
    const auto log = open_log(files, options);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(commit_events(*log, {"a"}));
    files.fail(operation);
    EXPECT_THAT(describe(log->retain({0})), StartsWith("store.io - cannot "));
    EXPECT_EQ(lines_from(*log, 1).end, "ok");
    EXPECT_EQ(log->read(std::vector<std::uint64_t>{5}).value()[0]->sequence, 5U);
    EXPECT_EQ(log->retain({0}).value(), 3U);
    EXPECT_EQ(log->first_sequence(), 4U);
    EXPECT_EQ(lines_from(*log, 1).lines.size(), 2U);
    EXPECT_EQ(open_log(files, options)->first_sequence(), 4U);
  }
}

TEST(EventLogFaultTest, TellsWhatCannotBeReadAndReadsItLater) {
  FaultFileSystem files;
  const auto log = open_log(files);
  ASSERT_TRUE(commit_events(*log, {"a"}));
  files.fail(FileOperation::kRead);
  EXPECT_EQ(lines_from(*log, 1).end,
            "store.io - cannot read 38 bytes at 56 of log/00000000000000000001.log: "
            "Input/output error");
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a"}));
  files.fail(FileOperation::kRead);
  EXPECT_FALSE(log->read(std::vector<std::uint64_t>{1}).has_value());
  EXPECT_TRUE(log->read(std::vector<std::uint64_t>{1}).value()[0]);
}

TEST(EventLogFaultTest, AnOpenThatFailsCanBeRepeated) {
  for (std::size_t i = 0; i < kFileOperationCount; ++i) {
    for (std::uint64_t after_count = 0; after_count < 5; ++after_count) {
      FaultFileSystem files;
      files.fail(static_cast<FileOperation>(i), after_count, 20);
      const auto first = EventLog::open(files, kLogDirectory, {});
      files.fail_nothing();
      const auto log = open_log(files);
      ASSERT_TRUE(log) << i;
      EXPECT_TRUE(commit_events(*log, {"a"}));
      EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a"}));
    }
  }
}

TEST(EventLogFaultTest, ACrashWhileASegmentIsMadeIsMended) {
  for (std::uint64_t size_bytes = 0; size_bytes <= kSegmentHeaderBytes; ++size_bytes) {
    for (const bool zeros : {false, true}) {
      FaultFileSystem files;
      const LogOptions options{.segment_bytes = 60};
      auto log = open_log(files, options);
      ASSERT_TRUE(commit_events(*log, {"a"}));
      const std::string bounds = files.contents().at(kBoundsPath);
      ASSERT_TRUE(commit_events(*log, {"b"}));
      auto contents = files.contents();
      ASSERT_EQ(contents.size(), 3U);
      contents[kBoundsPath] = bounds;
      std::string& second = contents[kSecond];
      second = zeros ? std::string(size_bytes, '\0') : second.substr(0, size_bytes);
      files.set_contents(contents);
      log = open_log(files, options);
      ASSERT_TRUE(log);
      const bool whole = !zeros && size_bytes == kSegmentHeaderBytes;
      EXPECT_EQ(log->recovery().torn_bytes, whole ? 0 : size_bytes);
      EXPECT_EQ(log->next_sequence(), 2U);
      EXPECT_TRUE(commit_events(*log, {"B"}));
      EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "B"}));
      EXPECT_EQ(lines_from(*open_log(files, options), 1).lines, event_lines({"a", "B"}));
    }
  }
}

// A full disk has left a segment without a header.
TEST(EventLogFaultTest, AnOpenOnAFullDiskReadsWhatIsThereAndWritesWhenThereIsRoom) {
  FaultFileSystem files;
  auto log = open_log(files);
  ASSERT_EQ(describe(commit_events(*log, {"a", "b"})), "ok");
  const std::uint64_t used_bytes = log->size_bytes();
  files.set_capacity(kBoundsFileBytes + used_bytes + 20);
  EXPECT_FALSE(commit_events(*log, {"lost"}).has_value());
  EXPECT_FALSE(log->commit().has_value());
  ASSERT_EQ(segment_files(files).size(), 2U);
  for (int i = 0; i < 2; ++i) {
    log = open_log(files);
    EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b"}));
    EXPECT_EQ(segment_files(files).size(), 1U);
    EXPECT_THAT(describe(commit_events(*log, {"lost"})), StartsWith("store.full - "));
  }
  files.set_capacity(10'000);
  for (const std::string text : {"c", "d"}) EXPECT_TRUE(commit_events(*log, {text}));
  log = open_log(files);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines({"a", "b", "c", "d"}));
}

TEST(EventLogFaultTest, AnOnlySegmentWithoutHeaderIsCorruptUnlessItIsTheFirstEver) {
  FaultFileSystem files;
  files.set_contents({{kFirst, ""}});
  EXPECT_EQ(open_log(files)->next_sequence(), 1U);
  files.set_contents({{kSecond, ""}});
  EXPECT_EQ(describe(EventLog::open(files, kLogDirectory, {})),
            "store.corrupt - log/00000000000000000002.log is damaged at offset 0: no valid header; "
            "copy the file again from where it came from, or restore a backup; weir doctor tells "
            "what is lost");
}

}  // namespace
}  // namespace weir::store
