// SPDX-License-Identifier: Apache-2.0
// One thread writes and retains while others read; ThreadSanitizer watches.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/error_testing.h"
#include "store/event_log.h"
#include "store/event_log_testing.h"
#include "store/fault_file_system_testing.h"

namespace weir::store {
namespace {

using base::describe;

constexpr std::uint64_t kCommitCount = 1000;
constexpr std::uint64_t kBatch = 10;

std::string payload_of(std::uint64_t sequence) { return std::to_string(sequence * 7919); }

// Until the last event has come: in order, each as it was written, gaps only by retention.
void follow(const EventLog& log, bool gaps) {
  LogReader reader = log.reader(1);
  for (std::uint64_t last = 0; last < kCommitCount * kBatch;) {
    const auto record = reader.next();
    ASSERT_EQ(describe(record), "ok");
    if (!*record) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_TRUE((*record)->sequence == last + 1 || (gaps && (*record)->sequence > last));
    last = (*record)->sequence;
    ASSERT_EQ((*record)->payload, payload_of(last));
  }
}

void look_up(const EventLog& log, const std::atomic<bool>& done) {
  for (std::uint64_t i = 0; !done; ++i) {
    const std::uint64_t first = log.first_sequence();
    const std::uint64_t next = log.next_sequence();
    ASSERT_LE(first, next);
    std::vector<std::uint64_t> sequences;
    for (std::uint64_t s = first + i % 7; s < next + 3; s += 1 + i % 50) sequences.push_back(s);
    const auto records = log.read(sequences);
    ASSERT_EQ(describe(records), "ok");
    for (std::size_t k = 0; k < sequences.size(); ++k) {
      if ((*records)[k]) {
        ASSERT_EQ((*records)[k]->payload, payload_of(sequences[k]));
      }
    }
    ASSERT_GT(log.size_bytes(), 0U);
  }
}

void append_batch(EventLog& log) {
  for (std::uint64_t i = 0; i < kBatch; ++i) {
    ASSERT_TRUE(log.append_event({1}, payload_of(log.next_sequence() + i)));
  }
}

void write_all(EventLog& log, FaultFileSystem& files, bool retain) {
  for (std::uint64_t commit = 0; commit < kCommitCount; ++commit) {
    if (commit % 20 == 0) {
      append_batch(log);
      files.fail(commit % 40 == 0 ? FileOperation::kWrite : FileOperation::kSync, 0, 100);
      ASSERT_FALSE(log.commit());
    }
    append_batch(log);
    ASSERT_EQ(describe(log.commit()), "ok");
    if (retain) {
      ASSERT_EQ(describe(log.retain({1})), "ok");
    }
  }
}

void run(bool retain) {
  FaultFileSystem files;
  const auto log = open_log(files, {.segment_bytes = 2000, .retention_bytes = 10'000});
  std::atomic<bool> done = false;
  {
    std::vector<std::jthread> readers;
    readers.emplace_back([&] { follow(*log, retain); });
    readers.emplace_back([&] { follow(*log, retain); });
    readers.emplace_back([&] { look_up(*log, done); });
    write_all(*log, files, retain);
    done = true;
  }
  EXPECT_EQ(log->next_sequence(), kCommitCount * kBatch + 1);
}

TEST(EventLogConcurrencyTest, ReadersFollowAWriterWhoseDiskFails) { run(false); }

TEST(EventLogConcurrencyTest, ReadersSurviveRetention) { run(true); }

TEST(EventLogConcurrencyTest, ManyReadersMakeTheIndexOfAnOldSegmentOnce) {
  FaultFileSystem files;
  const LogOptions options{.segment_bytes = 5000};
  {
    const auto log = open_log(files, options);
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(commit_events(*log, {std::string(100, 'x')}));
  }
  const auto log = open_log(files, options);
  std::vector<std::jthread> readers;
  for (std::uint64_t i = 0; i < 4; ++i) {
    readers.emplace_back([&log, i] {
      for (std::uint64_t s = 1 + i; s <= 200; ++s) {
        ASSERT_EQ(log->read(std::vector{s}).value()[0]->sequence, s);
      }
    });
  }
}

}  // namespace
}  // namespace weir::store
