// SPDX-License-Identifier: Apache-2.0
// What content matching costs on data of one's own, beside brute force: `./bench content --data
// DIR`, which prepares filters and events in the folder that WEIR_BENCH_DATA names, NAME.filters
// and NAME.events.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "event/event.h"
#include "match/bench_data_testing.h"
#include "match/content_runs_testing.h"

namespace weir::match {
namespace {

void BM_ContentData(benchmark::State& state, const std::string& name) {
  std::vector<event::EventPtr> events;
  for (const std::string& line : bench_lines(name + ".events")) {
    events.push_back(event::decode_event(line).value());
  }
  for ([[maybe_unused]] auto _ : state) {
    const auto measured = beside_brute_force(bench_lines(name + ".filters"), events);
    for (const auto& [counter, value] : measured) state.counters[counter] = value;
    state.SetIterationTime(measured.at("seconds_per_event"));
  }
}

// One benchmark for each pair of files.
const bool kRegistered = [] {
  if (!has_bench_data()) return false;
  const auto add = [](const char* benchmark, const std::string& name) {
    benchmark::RegisterBenchmark(benchmark, BM_ContentData, name)
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  add("BM_ContentPubsSubs", "pubs_subs");
  add("BM_ContentQuotes", "quotes_daily");
  return true;
}();

}  // namespace
}  // namespace weir::match
