// SPDX-License-Identifier: Apache-2.0
// What content matching costs on data of one's own: `./bench content --data DIR`, which prepares
// filters and events in the folder that WEIR_BENCH_DATA names, NAME.filters and NAME.events.
//
// The baseline is BruteForce, which evaluates every filter on every event, in the same run.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "filter/filter_testing.h"
#include "match/bench_data_testing.h"
#include "match/brute_force.h"
#include "match/content_matcher.h"

namespace weir::match {
namespace {

// Seconds per event; the number of matches goes to `match_count`.
double run(Matcher& matcher, std::span<const event::EventPtr> events, std::size_t& match_count) {
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  match_count = 0;
  const double seconds = base::seconds_of([&] {
    for (const event::EventPtr& event : events) {
      matches.clear();
      matcher.match(*event, scorer, matches);
      match_count += matches.size();
    }
  });
  return seconds / static_cast<double>(events.size());
}

void BM_ContentData(benchmark::State& state, const std::string& name) {
  constexpr std::size_t kBaselineEventCount = 20;
  constexpr int kRoundsBefore = 20;  // in which the matcher gets to know the events
  ContentMatcher matcher;
  BruteForce baseline;
  std::vector<Addition> additions;
  for (const std::string& line : bench_lines(name + ".filters")) {
    additions.push_back({SubscriptionId{additions.size()}, filter::filter_of(line)});
  }
  matcher.add_all(additions);
  baseline.add_all(additions);
  std::vector<event::EventPtr> events;
  for (const std::string& line : bench_lines(name + ".events")) {
    events.push_back(event::decode_event(line).value());
  }
  const std::span<const event::EventPtr> few(events.data(),
                                             std::min(events.size(), kBaselineEventCount));

  std::size_t found = 0;
  std::size_t expected = 0;
  const double baseline_seconds = run(baseline, few, expected);
  run(matcher, few, found);
  WEIR_CHECK(found == expected);
  for (int i = 0; i < kRoundsBefore; ++i) run(matcher, events, found);
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = run(matcher, events, found);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds * static_cast<double>(events.size()));
  }
  const auto event_count = static_cast<double>(events.size());
  const auto matched_events = static_cast<double>(matcher.counters().events);
  state.counters["filters"] = static_cast<double>(additions.size());
  state.counters["events_per_cpu_s"] = 1 / best;
  state.counters["x_brute_force"] = baseline_seconds / best;
  state.counters["matches_per_event"] = static_cast<double>(found) / event_count;
  state.counters["candidates_per_event"] =
      static_cast<double>(matcher.counters().candidates) / matched_events;
  state.counters["bytes_per_subscription"] =
      static_cast<double>(matcher.memory_bytes()) / static_cast<double>(additions.size());
}

// One benchmark for each pair of files.
const bool kRegistered = [] {
  if (!has_bench_data()) return false;
  for (const char* name : {"pubs_subs", "quotes_daily"}) {
    benchmark::RegisterBenchmark(fmt::format("BM_ContentData/{}", name).c_str(), BM_ContentData,
                                 std::string(name))
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace weir::match
