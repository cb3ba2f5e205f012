// SPDX-License-Identifier: Apache-2.0
// The plain block filter at 1 % and a million keys: inserting and looking up in batches of 1024.
// The baseline is the exact window's operations, in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "bloom/block_bloom.h"
#include "bloom/block_sizing.h"
#include "bloom/window_baseline_testing.h"

namespace weir::bloom {
namespace {

constexpr std::size_t kKeyCount = 1'000'000;
constexpr std::size_t kBatch = 1024;

std::vector<std::uint64_t> keys_of(std::uint64_t seed) {
  base::Prng prng(seed);
  std::vector<std::uint64_t> keys(kKeyCount);
  for (std::uint64_t& key : keys) key = prng.next();
  return keys;
}

template <typename Use>
double seconds_in_batches(const std::vector<std::uint64_t>& keys, Use use) {
  return base::seconds_of([&] {
    for (std::size_t i = 0; i < keys.size(); i += kBatch) {
      use(std::span(keys).subspan(i, std::min(kBatch, keys.size() - i)));
    }
  });
}

double baseline_rate() {
  WindowStream stream(1, kKeyCount);
  BaselineWindow window(kKeyCount, stream.window_ticks());
  std::uint64_t tick = 0;
  for (; tick < stream.window_ticks(); ++tick) window.test_and_set(stream.next(), tick);
  std::vector<std::uint64_t> keys(kKeyCount);
  stream.fill(keys);
  std::size_t seen = 0;
  const double seconds = base::seconds_of([&] {
    for (const std::uint64_t key : keys) seen += window.test_and_set(key, tick++) ? 1U : 0U;
  });
  benchmark::DoNotOptimize(seen);
  return kKeyCount / seconds;
}

void BM_BlockBloom(benchmark::State& state) {
  static const auto kKeys = keys_of(1);
  static const auto kOthers = keys_of(2);
  static double best_baseline = 0;
  const auto block_bits = static_cast<std::uint32_t>(state.range(0));
  const std::uint64_t block_count = block_count_for(kKeyCount, 0.01, block_bits);
  std::array<bool, kBatch> distinct{};
  double best_set = 0;
  double best_test = 0;
  std::size_t hits = 0;
  for ([[maybe_unused]] auto _ : state) {
    best_baseline = std::max(best_baseline, baseline_rate());
    BlockBloom filter({.block_count = block_count, .block_bits = block_bits});
    filter.set(kKeys);  // every page is touched before anything is measured
    for (int round = 0; round < 10; ++round) {
      const double set = seconds_in_batches(kKeys, [&](auto batch) { filter.set(batch); });
      const double test =
          seconds_in_batches(kOthers, [&](auto batch) { filter.test(batch, distinct); });
      best_set = std::max(best_set, kKeyCount / set);
      best_test = std::max(best_test, kKeyCount / test);
    }
    hits = static_cast<std::size_t>(
        std::ranges::count_if(kOthers, [&](auto key) { return !filter.test(key); }));
    state.counters["bits_per_key"] =
        static_cast<double>(filter.memory_bytes()) * 8 / static_cast<double>(kKeyCount);
  }
  state.counters["false_positives"] = static_cast<double>(hits) / static_cast<double>(kKeyCount);
  state.counters["set_Mops"] = best_set / 1e6;
  state.counters["test_Mops"] = best_test / 1e6;
  state.counters["baseline_Mops"] = best_baseline / 1e6;
  state.counters["x_set"] = best_set / best_baseline;
  state.counters["x_test"] = best_test / best_baseline;
}
BENCHMARK(BM_BlockBloom)->Iterations(1)->Unit(benchmark::kMillisecond)->Arg(256)->Arg(512);

}  // namespace
}  // namespace weir::bloom
