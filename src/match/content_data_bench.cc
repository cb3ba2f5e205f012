// SPDX-License-Identifier: Apache-2.0
// What content matching costs beside BruteForce, which evaluates every filter on every event, in
// the same run: of CESQL filters; and on data of one's own, `./bench content --data DIR`, which
// prepares filters and events in the folder that WEIR_BENCH_DATA names, NAME.filters and
// NAME.events.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "event/event_testing.h"
#include "filter/filter_testing.h"
#include "match/bench_data_testing.h"
#include "match/brute_force.h"
#include "match/content_matcher.h"
#include "match/content_runs_testing.h"

namespace weir::match {
namespace {

using Events = std::vector<event::EventPtr>;

std::vector<Addition> additions_of(const std::vector<std::string>& filters) {
  std::vector<Addition> additions;
  for (const std::string& filter : filters) {
    additions.push_back({SubscriptionId{additions.size()}, filter::filter_of(filter)});
  }
  return additions;
}

void measure(benchmark::State& state, const std::vector<Addition>& additions,
             const Events& events) {
  constexpr std::size_t kBaselineEventCount = 20;
  ContentMatcher matcher;
  BruteForce baseline;
  matcher.add_all(additions);
  baseline.add_all(additions);
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

// CESQL filters as CloudEvents users write them, a fifth of them with OR. Of the events some have a
// priority.
std::string cesql_filter(base::Prng& prng, std::size_t form) {
  const auto type = prng.below(2000);
  const auto lot = prng.below(10'000);
  switch (form % 5) {
    case 0:
      return fmt::format("cesql('type = ''com.example.{}'' AND source LIKE ''/plant/{}/%''')", type,
                         lot % 10);
    case 1:
      return fmt::format("cesql('type = ''com.example.{}'' OR subject = ''lot-{}''')", type, lot);
    case 2:
      return fmt::format("cesql('subject LIKE ''lot-{}%'' AND LENGTH(type) > 3')", lot);
    case 3:
      return fmt::format("cesql('type IN (''com.example.{}'', ''com.example.{}'')')", type,
                         prng.below(2000));
    default:
      return fmt::format("cesql('priority > {} AND subject = ''lot-{}''')", type % 10, lot);
  }
}

event::EventPtr cesql_event(base::Prng& prng) {
  const std::string priority =
      prng.chance(0.2) ? fmt::format(R"(,"priority":{})", prng.below(10)) : std::string();
  return event::event_of(
      fmt::format(R"({{"type":"com.example.{}","source":"/plant/{}/line","subject":"lot-{}"{}}})",
                  prng.below(2000), prng.below(10), prng.below(10'000), priority));
}

void BM_ContentCesql(benchmark::State& state) {
  constexpr std::size_t kFilterCount = 100'000;
  constexpr std::size_t kEventCount = 1000;
  base::Prng prng(1);
  std::vector<std::string> filters;
  for (std::size_t i = 0; i < kFilterCount; ++i) filters.push_back(cesql_filter(prng, i));
  Events events;
  for (std::size_t i = 0; i < kEventCount; ++i) events.push_back(cesql_event(prng));
  measure(state, additions_of(filters), events);
}
BENCHMARK(BM_ContentCesql)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

void BM_ContentData(benchmark::State& state, const std::string& name) {
  Events events;
  for (const std::string& line : bench_lines(name + ".events")) {
    events.push_back(event::decode_event(line).value());
  }
  measure(state, additions_of(bench_lines(name + ".filters")), events);
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
