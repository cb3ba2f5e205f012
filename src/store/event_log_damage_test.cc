// SPDX-License-Identifier: Apache-2.0
// Bytes that are not as they were written: found, or cut as a torn tail, never given to anybody.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
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

using Contents = std::map<std::string, std::string>;

constexpr LogOptions kOptions{.segment_bytes = 250};
constexpr std::size_t kCommitCount = 8;
constexpr std::size_t kLastCommitRecordCount = 3;

struct SmallLog {
  Contents segments;
  std::string bounds;        // as they are
  std::string older_bounds;  // as of the commit before the last: a loss of power may leave them
};

// Some segments, each of some commits of an event, a note and an event.
SmallLog make_small_log() {
  FaultFileSystem files;
  SmallLog made;
  const auto log = open_log(files, kOptions);
  for (std::size_t i = 0; i < kCommitCount; ++i) {
    const std::string payload = fmt::format("payload {}", i);
    made.older_bounds = files.contents().at(kBoundsPath);
    EXPECT_TRUE(log->append_event({1}, payload));
    log->append_note(log->next_sequence(), {2}, "note");
    EXPECT_TRUE(log->append_event({3}, payload));
    EXPECT_TRUE(log->commit());
  }
  made.segments = segment_files(files);
  made.bounds = files.contents().at(kBoundsPath);
  return made;
}

Contents small_log() { return make_small_log().segments; }

// Segments with bounds that tell of all commits but the last.
void place(FaultFileSystem& files, Contents contents) {
  contents[kBoundsPath] = make_small_log().older_bounds;
  files.set_contents(contents);
}

LogLines reopened(FaultFileSystem& files, const Contents& contents) {
  place(files, contents);
  const auto log = EventLog::open(files, kLogDirectory, kOptions);
  return log ? lines_from(**log, 0) : LogLines{{}, describe(log)};
}

bool is_prefix(const std::vector<std::string>& prefix, const std::vector<std::string>& whole) {
  return prefix.size() <= whole.size() && std::equal(prefix.begin(), prefix.end(), whole.begin());
}

TEST(EventLogDamageTest, EveryChangedByteIsFoundOrCutWithTheLastCommit) {
  const Contents contents = small_log();
  ASSERT_EQ(contents.size(), 4U);
  FaultFileSystem files;
  const auto whole = reopened(files, contents).lines;
  ASSERT_EQ(whole.size(), kCommitCount * 3);
  std::size_t cut_count = 0;
  for (const auto& [path, bytes] : contents) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
        Contents damaged = contents;
        damaged[path][i] = static_cast<char>(static_cast<unsigned char>(bytes[i]) ^ flip);
        const LogLines found = reopened(files, damaged);
        ASSERT_TRUE(is_prefix(found.lines, whole)) << path << " " << i;
        if (found.end != "ok") {
          EXPECT_THAT(found.end,
                      testing::AnyOf(StartsWith("store.corrupt - " + path + " is damaged"),
                                     StartsWith("store.incomplete - " + path + " ends at offset"),
                                     StartsWith("store.version - " + path)));
          continue;
        }
        ++cut_count;
        EXPECT_EQ(path, contents.rbegin()->first);
        EXPECT_LT(found.lines.size(), whole.size());
        EXPECT_GE(found.lines.size(), whole.size() - kLastCommitRecordCount) << path << " " << i;
      }
    }
  }
  EXPECT_GT(cut_count, 0U);
}

TEST(EventLogDamageTest, ReadGivesNoChangedByteEither) {
  const Contents contents = small_log();
  FaultFileSystem files;
  place(files, contents);
  std::vector<std::uint64_t> sequences;
  for (std::uint64_t i = 1; i <= 2 * kCommitCount; ++i) sequences.push_back(i);
  const auto whole = open_log(files, kOptions)->read(sequences).value();
  const auto& [path, bytes] = *contents.begin();
  for (std::size_t i = kSegmentHeaderBytes; i < bytes.size(); ++i) {
    Contents damaged = contents;
    damaged[path][i] = static_cast<char>(bytes[i] ^ 0x10);
    place(files, damaged);
    const auto log = open_log(files, kOptions);
    EXPECT_THAT(describe(log->read(sequences)), StartsWith("store.corrupt - " + path)) << i;
    EXPECT_EQ(log->read(std::vector<std::uint64_t>{16}).value()[0]->payload, whole[15]->payload);
  }
}

TEST(EventLogDamageTest, TheLastSegmentMayEndAnywhereWithinTheLastCommit) {
  const Contents contents = small_log();
  FaultFileSystem bounds_only;
  bounds_only.set_contents({{kBoundsPath, make_small_log().older_bounds}});
  const std::uint64_t confirmed_bytes =
      read_bounds(bounds_only, kLogDirectory).value()->bounds.end_bytes;
  const std::string last = contents.rbegin()->first;
  FaultFileSystem files;
  const auto whole = reopened(files, contents).lines;
  for (std::size_t size = 0; size < contents.at(last).size(); ++size) {
    Contents torn = contents;
    torn[last].resize(size);
    const LogLines found = reopened(files, torn);
    if (size < confirmed_bytes) {
      EXPECT_THAT(found.end, StartsWith("store.incomplete - " + last + " ends at offset")) << size;
      continue;
    }
    ASSERT_EQ(found.end, "ok") << size;
    ASSERT_TRUE(is_prefix(found.lines, whole)) << size;
    const auto log = open_log(files, kOptions);
    EXPECT_EQ(log->recovery().torn_bytes, 0U) << "cut once, it is whole";
    ASSERT_TRUE(commit_events(*log, {"more"}));
    EXPECT_EQ(lines_from(*open_log(files, kOptions), 0).lines.size(), found.lines.size() + 1);
  }
}

TEST(EventLogDamageTest, TheLastSegmentMayEndInZerosOrRubbish) {
  const Contents contents = small_log();
  FaultFileSystem files;
  const auto whole = reopened(files, contents).lines;
  for (const char byte : {'\0', '\1', '\2', 'x', '\xFF'}) {
    for (const std::size_t size : {1U, 36U, 37U, 38U, 5000U}) {
      Contents torn = contents;
      torn.rbegin()->second.append(size, byte);
      place(files, torn);
      const auto log = open_log(files, kOptions);
      EXPECT_EQ(log->recovery().torn_bytes, size);
      EXPECT_EQ(lines_from(*log, 0).lines, whole);
    }
  }
}

TEST(EventLogDamageTest, AnOlderSegmentMustHaveItsLength) {
  const Contents contents = small_log();
  FaultFileSystem files;
  const std::string& path = contents.begin()->first;
  const std::size_t size = contents.begin()->second.size();
  for (const std::size_t damaged_size : {std::size_t{0}, std::size_t{56}, size - 1, size + 1}) {
    Contents damaged = contents;
    damaged[path].resize(damaged_size);
    EXPECT_THAT(reopened(files, damaged).end, StartsWith("store.corrupt - " + path));
  }
}

TEST(EventLogDamageTest, AMissingSegmentInTheMiddleIsNamed) {
  Contents contents = small_log();
  contents.erase(std::next(contents.begin()));
  FaultFileSystem files;
  EXPECT_EQ(reopened(files, contents).end,
            "store.corrupt - log/00000000000000000003.log is damaged at offset 0: the segment "
            "before it, 00000000000000000002.log, is missing; copy the file again from where it "
            "came from, or restore a backup; weir doctor tells what is lost");
}

TEST(EventLogDamageTest, SegmentsCannotChangePlaces) {
  Contents contents = small_log();
  std::swap(contents.begin()->second, std::next(contents.begin())->second);
  FaultFileSystem files;
  EXPECT_THAT(reopened(files, contents).end, HasSubstr("its header tells number 2"));
}

TEST(EventLogDamageTest, AVersionThatIsNotKnownIsRefused) {
  Contents contents = small_log();
  contents.rbegin()->second[8] = 4;
  FaultFileSystem files;
  EXPECT_EQ(reopened(files, contents).end,
            "store.version - log/00000000000000000004.log has at offset 8 version 4, which this "
            "program does not know (it knows 3); weir doctor tells more");
}

TEST(EventLogDamageTest, OtherFilesAreLeftAlone) {
  Contents contents = small_log();
  contents["log/README"] = "x";
  contents["log/1.log"] = "x";
  contents["log/0000000000000000000x.log"] = "x";
  FaultFileSystem files;
  EXPECT_EQ(reopened(files, contents).end, "ok");
  EXPECT_EQ(files.contents().at("log/1.log"), "x");
}

}  // namespace
}  // namespace weir::store
