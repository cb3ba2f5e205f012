// SPDX-License-Identifier: Apache-2.0
// What the event log costs, with events of 300 bytes on the machine's own disk.
//
// Times are those of a clock on the wall: most of a durable commit is waiting for the disk. The
// baseline of a commit is one write and one fdatasync of as many bytes, in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/temporary_directory_testing.h"
#include "store/event_log.h"
#include "store/segment_format.h"

namespace weir::store {
namespace {

constexpr std::size_t kEventBytes = 300;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void append_batch(EventLog& log, std::uint64_t count) {
  static const std::string kEvent(kEventBytes, 'x');
  for (std::uint64_t i = 0; i < count; ++i) {
    WEIR_CHECK(log.append_event({1}, kEvent).has_value());
  }
}

std::unique_ptr<EventLog> filled_log(const base::TemporaryDirectory& directory,
                                     std::uint64_t count) {
  constexpr std::uint64_t kBatch = 10'000;
  auto log = EventLog::open(posix_file_system(), directory / "log", {}).value();
  for (std::uint64_t done = 0; done < count; done += kBatch) {
    append_batch(*log, kBatch);
    WEIR_CHECK(log->commit().has_value());
  }
  return log;
}

// A fast half of the commits tells of the log, the rest of the neighbours on the machine.
double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void BM_DurableCommit(benchmark::State& state) {
  const auto batch = static_cast<std::uint64_t>(state.range(0));
  const base::TemporaryDirectory directory;
  const auto log = EventLog::open(posix_file_system(), directory / "log", {}).value();
  const auto plain = posix_file_system().create(directory / "plain").value();
  const std::string bytes(batch * (kEventBytes + kRecordHeadBytes), 'x');
  std::uint64_t plain_bytes = 0;
  std::vector<double> log_seconds;
  std::vector<double> plain_seconds;
  for ([[maybe_unused]] auto _ : state) {
    auto begin = std::chrono::steady_clock::now();
    append_batch(*log, batch);
    WEIR_CHECK(log->commit().has_value());
    log_seconds.push_back(seconds_since(begin));
    state.SetIterationTime(log_seconds.back());
    begin = std::chrono::steady_clock::now();
    WEIR_CHECK(plain->write_at(plain_bytes, bytes).has_value() && plain->sync_data().has_value());
    plain_seconds.push_back(seconds_since(begin));
    plain_bytes += bytes.size();
  }
  const double log_median = median(log_seconds);
  state.counters["events_per_s"] = static_cast<double>(batch) / log_median;
  state.counters["commit_ms_median"] = log_median * 1e3;
  state.counters["x_plain_write"] = median(plain_seconds) / log_median;
}
BENCHMARK(BM_DurableCommit)
    ->Arg(1)
    ->Arg(100)
    ->Arg(2000)
    ->UseManualTime()
    ->Iterations(500)
    ->Unit(benchmark::kMillisecond);

// Without the disk: encoding and checksums.
void BM_AppendRecord(benchmark::State& state) {
  const std::string event(kEventBytes, 'x');
  std::string out;
  for ([[maybe_unused]] auto _ : state) {
    if (out.size() > (std::size_t{1} << 20U)) out.clear();
    append_record(out, {1, out.size()}, {.sequence = 1, .at = {1}, .payload = event});
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(BM_AppendRecord);

void BM_Replay(benchmark::State& state) {
  constexpr std::uint64_t kCount = 500'000;
  const base::TemporaryDirectory directory;
  const auto log = filled_log(directory, kCount);
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    LogReader reader = log->reader(1);
    std::uint64_t count = 0;
    for (; reader.next().value(); ++count) {
    }
    WEIR_CHECK(count == kCount);
    best = std::min(best, seconds_since(begin));
    state.SetIterationTime(seconds_since(begin));
  }
  state.counters["events_per_s"] = static_cast<double>(kCount) / best;
}
BENCHMARK(BM_Replay)->UseManualTime()->Unit(benchmark::kMillisecond);

void BM_Reopen(benchmark::State& state) {
  const base::TemporaryDirectory directory;
  filled_log(directory, 500'000);
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(
        EventLog::open(posix_file_system(), directory / "log", {}).has_value());
  }
}
BENCHMARK(BM_Reopen)->UseRealTime()->Unit(benchmark::kMillisecond);

// Blocks of so many neighbours, from places all over the log.
void BM_ReadBlock(benchmark::State& state) {
  constexpr std::uint64_t kCount = 500'000;
  const auto block = static_cast<std::uint64_t>(state.range(0));
  const base::TemporaryDirectory directory;
  const auto log = filled_log(directory, kCount);
  std::vector<std::uint64_t> sequences(block);
  std::uint64_t first = 1;
  for ([[maybe_unused]] auto _ : state) {
    constexpr std::uint64_t kStride = 77'777;
    first = (first + kStride) % (kCount - block) + 1;
    for (std::uint64_t i = 0; i < block; ++i) sequences[i] = first + i;
    const auto records = log->read(sequences);
    WEIR_CHECK(records.has_value() && records->back().has_value());
  }
  state.counters["events_per_s"] =
      benchmark::Counter(static_cast<double>(block), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_ReadBlock)->Arg(1)->Arg(100)->Arg(1000)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weir::store
