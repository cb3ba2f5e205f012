// SPDX-License-Identifier: Apache-2.0
// What a million thresholds cost on prices of one's own: `./bench change --data DIR`, which writes
// them to NAME.readings in the folder that WEIR_BENCH_DATA names, a line `key value` each. The
// first kReadingCount are read.
//
// All keys are read through one group. The baseline is a scan over the subscribers of the key with
// most readings, in the same run, and both must tell the same number of them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "match/bench_data_testing.h"
#include "match/change/change_group.h"
#include "match/change/change_workload_testing.h"

namespace weir::match {
namespace {

constexpr std::size_t kSubscriberCount = 1'000'000;
constexpr std::size_t kReadingCount = 5'000;
constexpr std::size_t kScannedCount = 50;

struct Reading {
  std::string key;
  double value = 0;
};

std::vector<Reading> first_readings() {
  std::vector<Reading> readings;
  for (const std::string& line : bench_lines("quotes_1min.readings", kReadingCount)) {
    std::istringstream words(line);
    Reading& reading = readings.emplace_back();
    words >> reading.key >> reading.value;
    WEIR_CHECK(!words.fail());
  }
  return readings;
}

std::string longest_key(const std::vector<Reading>& readings) {
  std::map<std::string, std::size_t> counts;
  for (const Reading& reading : readings) ++counts[reading.key];
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })
      ->first;
}

class Quotes {
 public:
  Quotes() : readings_(first_readings()), joiners_(change_joiners(kSubscriberCount)) {
    group_.join_all(joiners_);
  }

  // Seconds per reading, reading every id that is told.
  double run() {
    std::size_t fired = 0;
    const double seconds = base::seconds_of([&] {
      for (const Reading& reading : readings_) fired += update(reading);
    });
    fired_share_ = static_cast<double>(fired) / static_cast<double>(readings_.size()) /
                   static_cast<double>(kSubscriberCount);
    return seconds / static_cast<double>(readings_.size());
  }

  // The same of the first readings of the longest key, by a scan. Requires a group that is new.
  double scan() {
    const std::string key = longest_key(readings_);
    std::vector<double> values;
    for (const Reading& reading : readings_) {
      if (reading.key == key && values.size() < kScannedCount) values.push_back(reading.value);
    }
    ChangeScan scan(joiners_, values.front());
    WEIR_CHECK(update({key, values.front()}) == kSubscriberCount);
    std::vector<std::uint64_t> ids;
    double seconds = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      ids.clear();
      seconds += base::seconds_of([&] { scan.update(values[i], ids); });
      WEIR_CHECK(update({key, values[i]}) == ids.size());
    }
    return seconds / static_cast<double>(values.size() - 1);
  }

  double fired_share() const { return fired_share_; }
  const ChangeGroup& group() const { return group_; }

 private:
  std::size_t update(const Reading& reading) {
    group_.update(reading.key, reading.value, base::Instant{++now_}, nullptr, firing_);
    std::uint64_t sum = 0;
    firing_.for_each_span([&](const FiredRange&, ThresholdIndex::Span span) {
      for (const std::uint64_t id : span) sum += id;
    });
    benchmark::DoNotOptimize(sum);
    return firing_.id_count;
  }

  std::vector<Reading> readings_;
  std::vector<ChangeGroup::Joiner> joiners_;
  ChangeGroup group_{ChangeGroupOptions{}};
  Firing firing_;
  std::int64_t now_ = 0;
  double fired_share_ = 0;
};

void BM_ChangeData(benchmark::State& state) {
  Quotes quotes;
  const double scanned = quotes.scan();
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = quotes.run();
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["list_us"] = best * 1e6;
  state.counters["scan_us"] = scanned * 1e6;
  state.counters["x_scan"] = scanned / best;
  state.counters["fired_percent"] = quotes.fired_share() * 100;
  state.counters["sources"] = static_cast<double>(quotes.group().source_count());
  state.counters["pieces"] = static_cast<double>(quotes.group().piece_count());
}

const bool kRegistered = [] {
  if (!has_bench_data()) return false;
  benchmark::RegisterBenchmark("BM_ChangeData/quotes_1min", BM_ChangeData)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace weir::match
