// SPDX-License-Identifier: Apache-2.0
// Random work on a disk that fails and crashes, against a list of what was confirmed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "store/event_log.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::store {
namespace {

using Lines = std::vector<std::string>;

class LogAndModel {
 public:
  explicit LogAndModel(std::uint64_t seed)
      : prng_(seed), options_{.segment_bytes = 200 + prng_.below(4000), .retention_bytes = 8000} {
    log_ = open_log(files_, options_);
  }

  void step() {
    switch (prng_.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return plan_fault();
      case 4:
        return restart(prng_.chance(0.7));
      case 5:
        return retain();
      case 6:
        return check();
      default:
        return commit();
    }
  }

  // After everything, without faults, the log works.
  void finish() {
    files_.fail_nothing();
    files_.set_capacity(std::uint64_t{1} << 40U);
    commit();
    check();
    EXPECT_TRUE(failed_.empty());
    restart(true);
  }

  std::uint64_t failed_commit_count() const { return failed_commit_count_; }
  std::uint64_t survivor_count() const { return survivor_count_; }

 private:
  void plan_fault() {
    if (prng_.chance(0.2)) {
      files_.set_capacity(log_->size_bytes() + prng_.below(4000));
    } else if (prng_.chance(0.3)) {
      files_.set_capacity(std::uint64_t{1} << 40U);
    } else {
      files_.fail(static_cast<FileOperation>(prng_.below(kFileOperationCount)), prng_.below(3),
                  prng_.below(2000));
    }
  }

  void commit() {
    Lines batch;
    std::uint64_t sequence = log_->next_sequence();
    for (std::uint64_t count = prng_.below(12); count > 0; --count) {
      const std::string payload(prng_.below(prng_.chance(0.1) ? 3000 : 100), 'x');
      LogRecord record{prng_.chance(0.7) ? RecordKind::kEvent : RecordKind::kNote,
                       sequence,
                       {++instant_},
                       fmt::format("{} {}", instant_, payload)};
      if (record.kind == RecordKind::kEvent) {
        ASSERT_EQ(log_->append_event(record.at, record.payload).value(), sequence++);
      } else {
        log_->append_note(record.sequence, record.at, record.payload);
      }
      batch.push_back(to_line(record));
    }
    if (prng_.chance(0.1)) return restart(prng_.chance(0.5));
    if (log_->commit()) {
      confirmed_.insert(confirmed_.end(), batch.begin(), batch.end());
      failed_.clear();
      ASSERT_EQ(log_->next_sequence(), sequence);
    } else {
      ++failed_commit_count_;
      failed_.push_back(batch);
    }
  }

  // Of what failed since the last success a part of one batch may have reached the disk.
  void restart(bool with_crash) {
    log_.reset();
    files_.fail_nothing();
    if (with_crash) files_.crash(prng_);
    if (prng_.chance(0.3)) files_.fail(FileOperation::kSync, prng_.below(3));
    for (int i = 0; i < 3 && !log_; ++i) {
      if (auto opened = EventLog::open(files_, kLogDirectory, options_)) log_ = *std::move(opened);
      if (!log_ && prng_.chance(0.5)) files_.crash(prng_);
    }
    files_.fail_nothing();
    files_.set_capacity(std::uint64_t{1} << 40U);
    if (!log_) log_ = open_log(files_, options_);
    ASSERT_TRUE(log_);
    const Lines found = lines();
    ASSERT_GE(found.size(), confirmed_.size());
    ASSERT_TRUE(std::equal(confirmed_.begin(), confirmed_.end(), found.begin()));
    const Lines survivors(found.begin() + static_cast<std::ptrdiff_t>(confirmed_.size()),
                          found.end());
    ASSERT_TRUE(survivors.empty() ||
                std::ranges::any_of(failed_,
                                    [&](const Lines& batch) {
                                      return survivors.size() <= batch.size() &&
                                             std::equal(survivors.begin(), survivors.end(),
                                                        batch.begin());
                                    }))
        << testing::PrintToString(survivors);
    survivor_count_ += survivors.size();
    confirmed_ = found;
    failed_.clear();
  }

  void retain() {
    files_.fail_nothing();
    ASSERT_TRUE(log_->retain({0}));
    const Lines found = lines();
    ASSERT_LE(found.size(), confirmed_.size());
    ASSERT_TRUE(std::equal(found.rbegin(), found.rend(), confirmed_.rbegin()));
    confirmed_ = found;
  }

  void check() {
    ASSERT_EQ(lines(), confirmed_);
    std::vector<std::uint64_t> sequences;
    for (std::uint64_t i = log_->first_sequence(); i < log_->next_sequence(); ++i) {
      if (prng_.chance(0.3)) sequences.push_back(i);
    }
    const auto records = log_->read(sequences);
    ASSERT_TRUE(records);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      ASSERT_TRUE((*records)[i]);
      ASSERT_EQ((*records)[i]->sequence, sequences[i]);
      ASSERT_TRUE(std::ranges::find(confirmed_, to_line(*(*records)[i])) != confirmed_.end());
    }
  }

  Lines lines() {
    files_.fail_nothing();
    const LogLines found = lines_from(*log_, 0);
    EXPECT_EQ(found.end, "ok");
    return found.lines;
  }

  base::Prng prng_;
  LogOptions options_;
  FaultFileSystem files_;
  std::unique_ptr<EventLog> log_;
  std::int64_t instant_ = 0;
  Lines confirmed_;
  std::vector<Lines> failed_;  // since the last success
  std::uint64_t failed_commit_count_ = 0;
  std::uint64_t survivor_count_ = 0;
};

TEST(EventLogPropertyTest, KeepsWhatItConfirmedThroughFaultsAndCrashes) {
  std::uint64_t failed_commit_count = 0;
  std::uint64_t survivor_count = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    LogAndModel pair(seed);
    for (int i = 0; i < 80; ++i) {
      pair.step();
      if (testing::Test::HasFailure()) return;
    }
    pair.finish();
    if (testing::Test::HasFailure()) return;
    failed_commit_count += pair.failed_commit_count();
    survivor_count += pair.survivor_count();
  }
  EXPECT_GT(failed_commit_count, 1000U);
  EXPECT_GT(survivor_count, 100U);
}

}  // namespace
}  // namespace weir::store
