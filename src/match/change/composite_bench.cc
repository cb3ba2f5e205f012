// SPDX-License-Identifier: Apache-2.0
// What composite subscriptions cost: a million of three leaves each, per leaf that flips; without
// timing, with `or silent for` and with `at most every`.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "match/change/change_workload_testing.h"
#include "match/change/composite_index.h"

namespace weir::match {
namespace {

constexpr std::size_t kSourceCount = 1000;
constexpr std::size_t kReadingCount = 10'000;

enum class Timing : std::uint8_t { kNone, kSilentFor, kAtMostEvery };

// Composites of three leaves on random sources, thresholds log-uniform in 0.01..10, all delivered
// once; sources walk, with a reading every millisecond. Silences are log-uniform in 10 s..10'000 s,
// intervals in 0.1 s..100 s.
class Case {
 public:
  Case(std::size_t count, Timing timing) : timing_(timing) {
    base::Prng prng(count);
    adding_ = base::seconds_of([&] {
      for (std::uint64_t id = 0; id < count; ++id) index_.add(id, random(prng));
    });
    for (std::size_t i = 0; i < kSourceCount; ++i) walks_.emplace_back(i);
    for (std::size_t i = 0; i < 5 * kSourceCount; ++i) {
      update(i, walks_[i % kSourceCount].next());
    }
  }

  struct Cost {
    double seconds;
    double flips;
    double fired;
  };
  Cost run() {
    std::vector<double> values;
    for (std::size_t i = 0; i < kReadingCount; ++i) {
      values.push_back(walks_[i % kSourceCount].next());
    }
    const CompositeCounters before = index_.counters();
    const double seconds = base::seconds_of([&] {
      for (std::size_t i = 0; i < kReadingCount; ++i) {
        update(i, values[i]);
      }
    });
    return {seconds, static_cast<double>(index_.counters().flips - before.flips),
            static_cast<double>(index_.counters().fired - before.fired)};
  }

  const CompositeIndex& index() const { return index_; }
  std::uint64_t late_count() const { return late_count_; }
  double add_us() const { return adding_ * 1e6 / static_cast<double>(index_.size()); }

 private:
  void update(std::size_t step, double value) {
    const CompositeReading reading{static_cast<SourceNumber>(step % kSourceCount), value};
    now_ = now_ + base::Duration::milliseconds(1);
    while (index_.advance(now_, firing_)) late_count_ += firing_.composites.size();
    index_.update({&reading, 1}, now_, firing_);
  }
  ChangeTiming random_timing(base::Prng& prng) const {
    if (timing_ == Timing::kNone) return {};
    const bool is_silent = timing_ == Timing::kSilentFor;
    const double milliseconds = (is_silent ? 10'000 : 100) * std::pow(1000, prng.fraction());
    const auto span = base::Duration::milliseconds(static_cast<std::int64_t>(milliseconds));
    return is_silent ? ChangeTiming{.silent_for = span} : ChangeTiming{.at_most_every = span};
  }
  std::vector<CompositeConjunction> random(base::Prng& prng) const {
    std::vector<CompositeConjunction> conjunctions(1);
    for (int i = 0; i < 3; ++i) {
      CompositeLeaf leaf;
      leaf.source = static_cast<SourceNumber>(prng.below(kSourceCount));
      leaf.condition.threshold = 0.01 * std::pow(1000, prng.fraction());
      leaf.timing = random_timing(prng);
      conjunctions[0].push_back(leaf);
    }
    return conjunctions;
  }

  Timing timing_;
  CompositeIndex index_;
  CompositeFiring firing_;
  base::Instant now_;
  std::uint64_t late_count_ = 0;
  std::vector<ChangeWalk> walks_;
  double adding_ = 0;
};

void measure(benchmark::State& state, Timing timing) {
  static std::map<std::pair<std::int64_t, Timing>, std::unique_ptr<Case>> cases;
  auto& made = cases[{state.range(0), timing}];
  if (!made) made = std::make_unique<Case>(static_cast<std::size_t>(state.range(0)), timing);
  double best = std::numeric_limits<double>::infinity();
  double flips = 0;
  double fired = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Case::Cost cost = made->run();
    best = std::min(best, cost.seconds / cost.flips);
    flips = cost.flips / kReadingCount;
    fired = cost.fired / kReadingCount;
    state.SetIterationTime(cost.seconds);
  }
  const auto count = static_cast<double>(made->index().size());
  const CompositeCounters& counters = made->index().counters();
  state.counters["ns_per_flip"] = best * 1e9;
  state.counters["flips_per_reading"] = flips;
  state.counters["fired_per_reading"] = fired;
  state.counters["late_per_reading"] =
      static_cast<double>(made->late_count()) / static_cast<double>(counters.updates);
  state.counters["add_us"] = made->add_us();
  state.counters["bytes_per_composite"] = static_cast<double>(made->index().memory_bytes()) / count;
}

void BM_Composites(benchmark::State& state) { measure(state, Timing::kNone); }
BENCHMARK(BM_Composites)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);
void BM_CompositesSilent(benchmark::State& state) { measure(state, Timing::kSilentFor); }
BENCHMARK(BM_CompositesSilent)->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(1'000'000);
void BM_CompositesPacedThorough(benchmark::State& state) { measure(state, Timing::kAtMostEvery); }
BENCHMARK(BM_CompositesPacedThorough)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000'000);
void BM_CompositesThorough(benchmark::State& state) { measure(state, Timing::kNone); }
BENCHMARK(BM_CompositesThorough)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000);

}  // namespace
}  // namespace weir::match
