// SPDX-License-Identifier: Apache-2.0
// What content matching costs where filters are CESQL expressions, beside brute force.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/prng.h"
#include "event/event_testing.h"
#include "match/content_runs_testing.h"

namespace weir::match {
namespace {

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
  std::vector<event::EventPtr> events;
  for (std::size_t i = 0; i < kEventCount; ++i) events.push_back(cesql_event(prng));
  for ([[maybe_unused]] auto _ : state) {
    const auto measured = beside_brute_force(filters, events);
    for (const auto& [counter, value] : measured) state.counters[counter] = value;
    state.SetIterationTime(measured.at("seconds_per_event"));
  }
}
BENCHMARK(BM_ContentCesql)
    ->Iterations(1)
    ->Repetitions(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weir::match
