// SPDX-License-Identifier: Apache-2.0
// What content matching costs on data of one's own: `./bench content --data DIR`, which prepares
// filters and events in the folder that WEIR_BENCH_DATA names, NAME.filters and NAME.events.
//
// The baseline is BruteForce, which evaluates every filter on every event, in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/check.h"
#include "filter/filter_testing.h"
#include "match/bench_data_testing.h"
#include "match/brute_force.h"
#include "match/content_matcher.h"
#include "match/content_runs_testing.h"

namespace weir::match {
namespace {

using Events = std::vector<event::EventPtr>;

void BM_ContentData(benchmark::State& state, const std::string& name) {
  constexpr std::size_t kBaselineEventCount = 20;
  ContentMatcher matcher;
  BruteForce baseline;
  std::vector<Addition> additions;
  for (const std::string& line : bench_lines(name + ".filters")) {
    additions.push_back({SubscriptionId{additions.size()}, filter::filter_of(line)});
  }
  matcher.add_all(additions);
  baseline.add_all(additions);
  Events events;
  for (const std::string& line : bench_lines(name + ".events")) {
    events.push_back(event::decode_event(line).value());
  }
  const auto few_count = std::min(events.size(), kBaselineEventCount);
  const Events few(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(few_count));

  WEIR_CHECK(match_all(matcher, few).checksum == match_all(baseline, few).checksum);
  const double baseline_seconds = seconds_per_event(baseline, few, 1);
  settle(matcher, events);
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = seconds_per_event(matcher, events, 1);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds * static_cast<double>(events.size()));
  }
  const auto event_count = static_cast<double>(events.size());
  const auto matched_events = static_cast<double>(matcher.counters().events);
  state.counters["filters"] = static_cast<double>(additions.size());
  state.counters["events_per_cpu_s"] = 1 / best;
  state.counters["x_brute_force"] = baseline_seconds / best;
  state.counters["matches_per_event"] =
      static_cast<double>(match_all(matcher, events).match_count) / event_count;
  state.counters["candidates_per_event"] =
      static_cast<double>(matcher.counters().candidates) / matched_events;
  state.counters["bytes_per_subscription"] =
      static_cast<double>(matcher.memory_bytes()) / static_cast<double>(additions.size());
}

// One benchmark for each pair of files.
const bool kRegistered = [] {
  if (!has_bench_data()) return false;
  const auto add = [](const char* benchmark, const std::string& name) {
    benchmark::RegisterBenchmark(benchmark, BM_ContentData, name)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  };
  add("BM_ContentPubsSubs", "pubs_subs");
  add("BM_ContentQuotes", "quotes_daily");
  return true;
}();

}  // namespace
}  // namespace weir::match
