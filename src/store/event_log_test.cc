// SPDX-License-Identifier: Apache-2.0
#include "store/event_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::store {
namespace {

using base::describe;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> payloads(std::size_t count, std::size_t payload_bytes) {
  std::vector<std::string> texts;
  for (std::size_t i = 1; i <= count; ++i) texts.push_back(fmt::format("{:0{}}", i, payload_bytes));
  return texts;
}

TEST(EventLogTest, BeginsEmptyWithTheFirstSequenceOne) {
  FaultFileSystem files;
  const auto log = open_log(files);
  EXPECT_EQ(log->first_sequence(), 1U);
  EXPECT_EQ(log->next_sequence(), 1U);
  EXPECT_EQ(log->recovery().segment_count, 1U);
  EXPECT_EQ(log->recovery().torn_bytes, 0U);
  EXPECT_THAT(lines_from(*log, 1).lines, IsEmpty());
  EXPECT_EQ(describe(log->commit()), "ok");
}

TEST(EventLogTest, GivesBackEventsAndNotesInOrder) {
  FaultFileSystem files;
  auto log = open_log(files);
  EXPECT_EQ(log->append_event({10}, "a").value(), 1U);
  EXPECT_EQ(log->append_event({20}, "b").value(), 2U);
  log->append_note(1, {30}, std::string("n\0te", 4));
  EXPECT_EQ(log->append_event({-5}, "").value(), 3U);
  EXPECT_EQ(log->next_sequence(), 1U);
  EXPECT_THAT(lines_from(*log, 1).lines, IsEmpty());
  EXPECT_EQ(describe(log->commit()), "ok");
  const std::vector<std::string> expected = {"event 1 at 10: a", "event 2 at 20: b",
                                             std::string("note 1 at 30: n\0te", 18),
                                             "event 3 at -5: "};
  EXPECT_EQ(log->next_sequence(), 4U);
  EXPECT_EQ(lines_from(*log, 1).lines, expected);
  log = open_log(files);
  EXPECT_EQ(log->next_sequence(), 4U);
  EXPECT_EQ(lines_from(*log, 0).lines, expected);
  EXPECT_THAT(lines_from(*log, 3).lines, ElementsAre("event 3 at -5: "));
}

TEST(EventLogTest, LosesWhatWasNotCommitted) {
  FaultFileSystem files;
  auto log = open_log(files);
  EXPECT_EQ(log->append_event({1}, "a").value(), 1U);
  log = open_log(files);
  EXPECT_EQ(log->append_event({1}, "b").value(), 1U);
}

TEST(EventLogTest, GoesOnInANewSegmentBeyondTheLimit) {
  FaultFileSystem files;
  const auto texts = payloads(100, 50);
  auto log = open_log(files, {.segment_bytes = 1000});
  for (const std::string& text : texts) EXPECT_EQ(describe(commit_events(*log, {text})), "ok");
  EXPECT_EQ(segment_files(files).size(), 10U);
  std::uint64_t sum_bytes = 0;
  for (const auto& [path, bytes] : segment_files(files)) sum_bytes += bytes.size();
  EXPECT_EQ(log->size_bytes(), sum_bytes);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines(texts));
  log = open_log(files, {.segment_bytes = 1000});
  EXPECT_EQ(log->recovery().segment_count, 10U);
  EXPECT_EQ(log->size_bytes(), sum_bytes);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines(texts));
  for (std::uint64_t i = 1; i <= texts.size(); ++i) {
    const auto lines = lines_from(*log, i).lines;
    ASSERT_EQ(lines.size(), texts.size() + 1 - i);
    EXPECT_EQ(lines.front(), event_lines(texts)[i - 1]);
  }
}

TEST(EventLogTest, ReadsEventsByTheirSequences) {
  FaultFileSystem files;
  const auto texts = payloads(500, 100);
  {
    const auto log = open_log(files, {.segment_bytes = 20'000});
    for (const std::string& text : texts) {
      log->append_note(0, {}, text);
      EXPECT_EQ(describe(commit_events(*log, {text})), "ok");
    }
  }
  const auto log = open_log(files);
  const std::vector<std::uint64_t> sequences = {0, 1, 1, 2, 77, 300, 301, 302, 500, 501, 900};
  const auto records = log->read(sequences).value();
  ASSERT_EQ(records.size(), sequences.size());
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const bool is_there = sequences[i] >= 1 && sequences[i] <= texts.size();
    ASSERT_EQ(records[i].has_value(), is_there) << sequences[i];
    if (is_there) {
      EXPECT_EQ(to_line(*records[i]), event_lines(texts)[sequences[i] - 1]);
    }
  }
}

TEST(EventLogTest, ReadsNeighboursWithOneRead) {
  FaultFileSystem files;
  const auto log = open_log(files);
  ASSERT_EQ(describe(commit_events(*log, payloads(1000, 300))), "ok");
  std::vector<std::uint64_t> sequences;
  for (std::uint64_t i = 400; i < 600; i += 3) sequences.push_back(i);
  const std::uint64_t read_count = files.count(FileOperation::kRead);
  ASSERT_EQ(describe(log->read(sequences)), "ok");
  EXPECT_EQ(files.count(FileOperation::kRead), read_count + 1);
}

TEST(EventLogTest, ReadsARecordThatIsLongerThanAChunk) {
  FaultFileSystem files;
  const std::vector<std::string> texts = {"a", std::string(1'000'000, 'b'), "c"};
  auto log = open_log(files);
  ASSERT_EQ(describe(commit_events(*log, texts)), "ok");
  log = open_log(files);
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines(texts));
  EXPECT_EQ(log->read(std::vector<std::uint64_t>{2, 3}).value()[0]->payload, texts[1]);
}

TEST(EventLogTest, RefusesAnEventBeyondTheLimitAndGoesOn) {
  FaultFileSystem files;
  const auto log = open_log(files, {.event_bytes_max = 4});
  EXPECT_EQ(describe(log->append_event({1}, "12345")),
            "json.too_long - an event of 5 bytes for the event log of log: the limit is 4");
  EXPECT_EQ(log->append_event({1}, "1234").value(), 1U);
  log->append_note(1, {1}, "a note has no limit of its own");
  EXPECT_EQ(describe(log->commit()), "ok");
}

TEST(EventLogTest, AReaderAtTheEndGoesOnWhenThereIsMore) {
  FaultFileSystem files;
  const auto log = open_log(files, {.segment_bytes = 200});
  LogReader reader = log->reader(1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(reader.next().value(), std::nullopt);
    ASSERT_EQ(describe(commit_events(*log, {"a", "b"})), "ok");
    EXPECT_EQ(reader.next().value()->payload, "a");
    EXPECT_EQ(reader.next().value()->payload, "b");
  }
}

TEST(EventLogTest, AReaderOfALaterSequenceWaitsForIt) {
  FaultFileSystem files;
  const auto log = open_log(files, {.segment_bytes = 100});
  LogReader reader = log->reader(3);
  for (const char* const text : {"a", "b", "c", "d"}) {
    EXPECT_EQ(reader.next().value(), std::nullopt) << text;
    ASSERT_EQ(describe(commit_events(*log, {text})), "ok");
    if (text[0] >= 'c') {
      EXPECT_EQ(reader.next().value()->payload, text);
    }
  }
}

TEST(EventLogTest, RetentionBySizeRemovesWholeOldSegments) {
  FaultFileSystem files;
  const LogOptions options{.segment_bytes = 1000, .retention_bytes = 2500};
  auto log = open_log(files, options);
  for (const std::string& text : payloads(100, 50)) ASSERT_TRUE(commit_events(*log, {text}));
  LogReader reader = log->reader(1);
  EXPECT_EQ(reader.next().value()->sequence, 1U);
  EXPECT_EQ(log->retain({0}).value(), 7U);
  EXPECT_EQ(log->retain({0}).value(), 0U);
  EXPECT_LE(log->size_bytes(), 2500U);
  EXPECT_EQ(segment_files(files).size(), 3U);
  const std::uint64_t first = log->first_sequence();
  EXPECT_EQ(first, 78U);
  EXPECT_EQ(lines_from(*log, 1).lines.front(), event_lines(payloads(100, 50))[first - 1]);
  const auto records = log->read(std::vector<std::uint64_t>{1, first - 1, first, 100}).value();
  EXPECT_FALSE(records[0] || records[1]);
  EXPECT_TRUE(records[2] && records[3]);
  // The reader has the file of its segment, then goes on with what there is.
  for (std::uint64_t i = 2; i <= 11; ++i) EXPECT_EQ(reader.next().value()->sequence, i);
  EXPECT_EQ(reader.next().value()->sequence, first);
  log = open_log(files, options);
  EXPECT_EQ(log->first_sequence(), first);
  EXPECT_EQ(log->next_sequence(), 101U);
}

// Ten events of some 1 KB with notes of some 4 KB each: by their events they all may stay.
TEST(EventLogTest, RetentionBySizeCountsEventsAndNotNotes) {
  FaultFileSystem files;
  const LogOptions options{.segment_bytes = 5000, .retention_bytes = 12'000};
  auto log = open_log(files, options);
  const auto add = [&] {
    ASSERT_TRUE(commit_events(*log, {std::string(1000, 'e')}));
    log->append_note(log->next_sequence() - 1, {0}, std::string(4096, 'n'));
    ASSERT_TRUE(log->commit());
  };
  for (int i = 0; i < 10; ++i) add();
  EXPECT_GT(log->size_bytes(), 50'000U);
  for (const bool is_reopened : {false, true}) {
    if (is_reopened) log = open_log(files, options);
    EXPECT_EQ(log->retain({0}).value(), 0U) << is_reopened;
  }
  for (int i = 0; i < 5; ++i) add();
  EXPECT_GT(log->retain({0}).value(), 0U);
  EXPECT_GE(log->next_sequence() - log->first_sequence(), 9U);
}

TEST(EventLogTest, RetentionByAgeCountsFromTheNewestRecordOfASegment) {
  FaultFileSystem files;
  const LogOptions options{.segment_bytes = 100, .retention_age = base::Duration{10}};
  auto log = open_log(files, options);
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(commit_events(*log, {"a", "b"}));
  log = open_log(files, options);
  EXPECT_EQ(log->retain({11}).value(), 0U);
  EXPECT_EQ(log->retain({12}).value(), 1U);
  EXPECT_EQ(log->first_sequence(), 3U);
  EXPECT_EQ(log->retain({1000}).value(), 4U);
  EXPECT_EQ(log->first_sequence(), 11U);
  EXPECT_EQ(log->next_sequence(), 13U);
}

TEST(EventLogTest, WorksOnTheMachinesFileSystem) {
  const base::TemporaryDirectory directory;
  const LogOptions options{.segment_bytes = 1000, .retention_bytes = 3000};
  const auto texts = payloads(100, 50);
  for (std::size_t i = 0; i < texts.size(); i += 10) {
    auto log = EventLog::open(posix_file_system(), directory / "a/b", options);
    ASSERT_EQ(describe(log), "ok");
    EXPECT_EQ((*log)->recovery().torn_bytes, 0U);
    const std::vector<std::string> some(texts.begin() + static_cast<std::ptrdiff_t>(i),
                                        texts.begin() + static_cast<std::ptrdiff_t>(i) + 10);
    ASSERT_EQ(describe(commit_events(**log, some)), "ok");
  }
  const auto log = EventLog::open(posix_file_system(), directory / "a/b", options).value();
  EXPECT_EQ(lines_from(*log, 1).lines, event_lines(texts));
  EXPECT_EQ(log->retain({0}).value(), 4U);
  EXPECT_EQ(lines_from(*log, 1).lines.size(), 20U);
}

}  // namespace
}  // namespace weir::store
