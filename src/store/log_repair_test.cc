// SPDX-License-Identifier: Apache-2.0
// Logs damaged in every place and repaired: every event that is still valid is there, every other
// one is listed, and no sequence is given twice.
#include "store/log_repair.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error_testing.h"
#include "base/temporary_directory_testing.h"
#include "store/event_log_testing.h"
#include "store/findings.h"
#include "store/log_examiner.h"

namespace weir::store {
namespace {

using Files = std::map<std::string, std::string>;

constexpr LogOptions kOptions{.segment_bytes = 400};
constexpr std::uint64_t kEventCount = 30;

class LogRepairTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto log = EventLog::open(posix_file_system(), log_path(), kOptions).value();
    for (std::uint64_t i = 1; i <= kEventCount; i += 2) {
      ASSERT_TRUE(log->append_event({1}, fmt::format("event {}", i)));
      ASSERT_TRUE(log->append_event({1}, fmt::format("event {}", i + 1)));
      if (i % 4 == 1) ASSERT_TRUE(log->commit());  // else all three are one commit
      log->append_note(i, {1}, "n");
      ASSERT_TRUE(log->commit());
    }
    events_ = events(*log);
    ASSERT_EQ(events_.size(), kEventCount);
    for (const auto& entry : std::filesystem::directory_iterator(log_path())) {
      std::ifstream in(entry.path(), std::ios::binary);
      whole_[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
    }
    ASSERT_GE(whole_.size(), 5U);
  }

  std::filesystem::path log_path() const { return directory_ / "log"; }

  // By sequence.
  static std::map<std::uint64_t, std::string> events(const EventLog& log) {
    std::map<std::uint64_t, std::string> found;
    LogReader reader = log.reader(0);
    while (true) {
      const auto record = reader.next();
      EXPECT_EQ(base::describe(record), "ok");
      if (!record || !*record) return found;
      if ((*record)->kind != RecordKind::kEvent) continue;
      EXPECT_TRUE(found.emplace((*record)->sequence, (*record)->payload).second);
    }
  }

  void place(const Files& files) {
    std::filesystem::remove_all(log_path());
    std::filesystem::create_directories(log_path());
    for (const auto& [name, bytes] : files) {
      std::ofstream(log_path() / name, std::ios::binary) << bytes;
    }
  }

  // Repairs the files and checks that what is not there is listed. Returns how many are lost.
  std::size_t check(const Files& files, const std::string& what) {
    SCOPED_TRACE(what);
    place(files);
    std::set<std::string> kept;
    const auto lost = repair_log(directory_.path(), kEventCount, [&](const std::string& file) {
      EXPECT_TRUE(files.contains(std::filesystem::path(file).filename())) << file;
      kept.insert(file);
      return base::Result<void>();
    });
    EXPECT_EQ(base::describe(lost), "ok");
    if (!lost) return 0;
    const auto log = EventLog::open(posix_file_system(), log_path(), kOptions);
    EXPECT_EQ(base::describe(log), "ok");
    if (!log) return 0;
    const auto found = events(**log);
    std::set<std::uint64_t> listed;
    for (const LostRecords& one : *lost) {
      for (std::uint64_t i = one.first_sequence; i < one.next_sequence; ++i) {
        EXPECT_TRUE(listed.insert(i).second) << i << " is listed twice";
      }
    }
    std::vector<std::uint64_t> sequences;
    for (const auto& [sequence, text] : events_) {
      sequences.push_back(sequence);
      EXPECT_NE(found.contains(sequence), listed.contains(sequence)) << sequence;
      if (found.contains(sequence)) EXPECT_EQ(found.at(sequence), text);
    }
    // The same by the other way to read.
    const auto read = (*log)->read(sequences);
    EXPECT_EQ(base::describe(read), "ok");
    for (std::size_t i = 0; read && i < sequences.size(); ++i) {
      EXPECT_EQ((*read)[i].has_value(), found.contains(sequences[i])) << sequences[i];
    }
    EXPECT_EQ((*log)->next_sequence(), kEventCount + 1);
    EXPECT_TRUE(commit_events(**log, {"new"}));
    Findings findings;
    EXPECT_TRUE(examine_log(posix_file_system(), log_path(), {}, findings));
    for (const Finding& finding : findings.list()) {
      EXPECT_NE(finding.severity, Severity::kDamage) << finding.file << " " << finding.what;
    }
    return listed.size();
  }

  base::TemporaryDirectory directory_;
  Files whole_;
  std::map<std::uint64_t, std::string> events_;
};

TEST_F(LogRepairTest, ChangesNothingOfAWholeLog) { EXPECT_EQ(check(whole_, "whole"), 0U); }

TEST_F(LogRepairTest, LosesOneCommitAtMostForOneChangedByte) {
  for (const auto& [name, bytes] : whole_) {
    for (std::size_t i = 0; i < bytes.size(); i += 17) {
      if (name.ends_with(".log") && i >= 8 && i < 12) continue;  // a version is not damage
      Files files = whole_;
      files[name][i] = static_cast<char>(files[name][i] ^ 0x21);
      EXPECT_LE(check(files, fmt::format("{} {}", name, i)), 1U);
      if (HasFailure()) return;
    }
  }
}

TEST_F(LogRepairTest, ListsWhatACutHasTaken) {
  std::size_t lost = 0;
  for (const auto& [name, bytes] : whole_) {
    for (std::size_t size = 0; size < bytes.size(); size += 31) {
      Files files = whole_;
      files[name].resize(size);
      lost += check(files, fmt::format("{} cut to {}", name, size));
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(lost, 100U);
}

TEST_F(LogRepairTest, ListsTheEventsOfEachSegmentThatIsMissing) {
  std::size_t lost = 0;
  for (const auto& [name, bytes] : whole_) {
    Files files = whole_;
    files.erase(name);
    lost += check(files, name + " is missing");
  }
  EXPECT_EQ(lost, kEventCount);
  EXPECT_EQ(check({}, "all is missing"), kEventCount);
  EXPECT_EQ(check({{"BOUNDS", whole_.at("BOUNDS")}}, "all segments are missing"), kEventCount);
}

// Records behind a lost event are not lost with it.
TEST_F(LogRepairTest, AReaderFromALostEventBeginsBehindItsPlace) {
  Files files = whole_;
  std::string& bytes = files.at("00000000000000000001.log");
  const std::size_t second = bytes.find("event 2");
  ASSERT_NE(second, std::string::npos);
  bytes[second] = 'E';
  EXPECT_EQ(check(files, "event 2"), 1U);
  const auto log = EventLog::open(posix_file_system(), log_path(), kOptions).value();
  EXPECT_THAT(lines_from(*log, 1).lines[1], testing::StartsWith("note 1"));
  LogReader reader = log->reader(2);
  EXPECT_EQ(to_line(*reader.next().value()), lines_from(*log, 1).lines[1]);
}

TEST_F(LogRepairTest, PassesOverZerosAndRepeatedBytes) {
  for (const auto& [name, bytes] : whole_) {
    for (std::size_t i = 0; i + 80 < bytes.size(); i += 97) {
      Files zeros = whole_;
      zeros[name].replace(i, 80, 80, '\0');
      check(zeros, fmt::format("{} zeros at {}", name, i));
      Files longer = whole_;
      longer[name].insert(i, bytes.substr(i, 80));
      check(longer, fmt::format("{} twice at {}", name, i));
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace weir::store
