// SPDX-License-Identifier: Apache-2.0
// Windowed test-and-insert: 64-bit keys, a fifth of them duplicates from the last window, batches
// of 1024, one thread. The baseline is a hash map with a ring of expiries, in the same run on the
// same keys. Memory is what the process grew by, per key alive; false positives are measured at 16
// moments of a generation, the worst of them counts.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "base/memory_testing.h"
#include "bloom/generational_bloom.h"
#include "bloom/window_baseline_testing.h"

namespace weir::bloom {
namespace {

constexpr std::size_t kBatch = 1024;
constexpr std::size_t kRoundKeys = 2048 * kBatch;
constexpr std::int64_t kTickNs = 1000;
// The formula's rates; what is measured at the worst of many moments lies a little above them.
constexpr double kOnePercent = 0.0094;
constexpr double kOnePerMille = 0.00094;

// What one window takes, from what several make the process grow.
double measured_bytes(const GenerationalOptions& options) {
  constexpr std::size_t kCopies = 8;
  std::vector<std::unique_ptr<GenerationalBloom>> copies(kCopies);
  const std::size_t growth = base::resident_growth([&] {
    for (auto& copy : copies) {
      copy = std::make_unique<GenerationalBloom>(options);
      base::Prng prng(1);  // enough keys to touch every page
      const std::size_t key_count = std::size_t{options.shape.bucket_count} * 4;
      for (std::size_t i = 0; i < key_count; ++i) copy->set(prng.next(), {});
    }
  });
  return static_cast<double>(growth) / kCopies;
}

// One size, filled once; the best round of each side over all repetitions.
struct Case {
  Case(std::size_t live_keys, double false_positives)
      : live_key_count(live_keys),
        stream(1, live_keys),
        window({.shape = generational_shape(static_cast<double>(live_keys), false_positives),
                .within = {static_cast<std::int64_t>(stream.window_ticks()) * kTickNs}}) {
    for (std::size_t i = 0; i < stream.window_ticks(); i += kBatch) pass_round(kBatch);
  }

  void pass_round(std::size_t key_count) {
    keys.resize(key_count);
    stream.fill(keys);
    seconds = 0;
    for (std::size_t i = 0; i < key_count; i += kBatch) {
      const std::span<const std::uint64_t> batch(keys.data() + i, kBatch);
      seconds +=
          base::seconds_of([&] { window.first_test_then_set(batch, {tick * kTickNs}, distinct); });
      tick += kBatch;
    }
  }

  std::size_t live_key_count;
  WindowStream stream;
  std::vector<std::uint64_t> keys;
  GenerationalBloom window;
  std::array<bool, kBatch> distinct{};
  std::int64_t tick = 0;
  double seconds = 0;  // of the last round
  double best_rate = 0;
  double best_baseline_rate = 0;
  std::unique_ptr<BaselineWindow> baseline;
  std::size_t baseline_bytes = 0;
};

void fill_baseline(Case& at) {
  at.baseline_bytes = base::resident_growth([&] {
    at.baseline = std::make_unique<BaselineWindow>(at.live_key_count, at.stream.window_ticks());
    WindowStream stream(2, at.live_key_count);
    for (std::uint64_t tick = 0; tick < stream.window_ticks(); ++tick) {
      at.baseline->test_and_set(stream.next(), tick);
    }
  });
}

// The worst of many moments within a generation.
double worst_false_positives(Case& at) {
  constexpr int kMoments = 16;
  base::Prng prng(99);
  std::vector<std::uint64_t> others(2000 * kBatch);
  double worst = 0;
  for (int moment = 0; moment < kMoments; ++moment) {
    at.pass_round(std::max(at.stream.window_ticks() / 7 / kMoments / kBatch, std::size_t{1}) *
                  kBatch);
    std::size_t hits = 0;
    for (std::uint64_t& key : others) key = prng.next();
    for (std::size_t i = 0; i < others.size(); i += kBatch) {
      at.window.test({others.data() + i, kBatch}, at.window.now(), at.distinct);
      hits += static_cast<std::size_t>(std::ranges::count(at.distinct, false));
    }
    worst = std::max(worst, static_cast<double>(hits) / static_cast<double>(others.size()));
  }
  return worst;
}

void measure_round(Case& at) {
  at.pass_round(kRoundKeys);
  at.best_rate = std::max(at.best_rate, kRoundKeys / at.seconds);
  std::uint64_t tick = static_cast<std::uint64_t>(at.tick);
  std::size_t seen = 0;
  const double seconds = base::seconds_of([&] {
    for (const std::uint64_t key : at.keys)
      seen += at.baseline->test_and_set(key, tick++) ? 1U : 0U;
  });
  benchmark::DoNotOptimize(seen);
  at.best_baseline_rate = std::max(at.best_baseline_rate, kRoundKeys / seconds);
}

void BM_DistinctWindow(benchmark::State& state) {
  static std::map<std::int64_t, std::unique_ptr<Case>> cases;
  static std::map<std::int64_t, double> worst;
  auto& at = cases[state.range(0)];
  if (at == nullptr) {
    at = std::make_unique<Case>(static_cast<std::size_t>(state.range(0)), kOnePercent);
    fill_baseline(*at);
    worst[state.range(0)] = worst_false_positives(*at);
  }
  for ([[maybe_unused]] auto _ : state) {
    for (int round = 0; round < 3; ++round) measure_round(*at);
    state.SetIterationTime(at->seconds);
  }
  const auto counted = static_cast<double>(at->live_key_count);
  state.counters["Mops"] = at->best_rate / 1e6;
  state.counters["baseline_Mops"] = at->best_baseline_rate / 1e6;
  state.counters["x_baseline"] = at->best_rate / at->best_baseline_rate;
  state.counters["bits_per_live_key"] = measured_bytes(at->window.options()) * 8 / counted;
  state.counters["baseline_bits"] = static_cast<double>(at->baseline_bytes) * 8 / counted;
  state.counters["worst_false_positives"] = worst[state.range(0)];
}
BENCHMARK(BM_DistinctWindow)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->Arg(1'000'000)
    ->Arg(20'000'000);

void BM_DistinctWindowPerMille(benchmark::State& state) {
  static const std::unique_ptr<Case> kCase = std::make_unique<Case>(2'000'000, kOnePerMille);
  static const double kWorst = worst_false_positives(*kCase);
  for ([[maybe_unused]] auto _ : state) {
    kCase->pass_round(kRoundKeys);
    state.SetIterationTime(kCase->seconds);
  }
  state.counters["Mops"] = kRoundKeys / kCase->seconds / 1e6;
  state.counters["bits_per_live_key"] = measured_bytes(kCase->window.options()) * 8 / 2e6;
  state.counters["worst_false_positives"] = kWorst;
}
BENCHMARK(BM_DistinctWindowPerMille)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// For how long a key is remembered beyond the window, as a share of it: the longest of many.
void BM_RemembersLonger(benchmark::State& state) {
  constexpr std::int64_t kWindowNs = 7'000'000;
  base::Prng prng(5);
  double longest = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (int i = 0; i < 2000; ++i) {
      GenerationalBloom window({.shape = {5000, 4}, .within = {kWindowNs}});
      const base::Instant at{static_cast<std::int64_t>(prng.below(10 * kWindowNs))};
      const std::uint64_t key = prng.next();
      window.set(key, at);
      std::int64_t seen = 0;
      std::int64_t distinct = 2 * kWindowNs;
      while (distinct - seen > 1) {
        const std::int64_t middle = (seen + distinct) / 2;
        (window.test(key, at + base::Duration{middle}) ? distinct : seen) = middle;
      }
      WEIR_CHECK(distinct >= kWindowNs);
      longest = std::max(longest, static_cast<double>(distinct) / kWindowNs - 1);
    }
  }
  state.counters["longest"] = longest;
}
BENCHMARK(BM_RemembersLonger)->Iterations(1)->Unit(benchmark::kMillisecond);

// The longest of many single operations over two generations and a long silence, each the best of
// four runs of the same stream, so that what other programs take is left out.
void BM_LongestOperation(benchmark::State& state) {
  constexpr std::size_t kKeyCount = 400'000;
  constexpr std::size_t kLiveKeys = 1'000'000;
  std::vector<double> shortest(kKeyCount, std::numeric_limits<double>::infinity());
  for ([[maybe_unused]] auto _ : state) {
    for (int run = 0; run < 4; ++run) {
      Case at(kLiveKeys, kOnePercent);
      for (std::size_t i = 0; i < kKeyCount; ++i) {
        if (i == kKeyCount / 2)
          at.tick += static_cast<std::int64_t>(100 * at.stream.window_ticks());
        const std::uint64_t key = at.stream.next();
        shortest[i] = std::min(shortest[i], base::seconds_of([&] {
                                 at.window.first_test_then_set(key, {at.tick++ * kTickNs});
                               }));
      }
    }
  }
  state.counters["longest_us"] = std::ranges::max(shortest) * 1e6;
}
BENCHMARK(BM_LongestOperation)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bloom
