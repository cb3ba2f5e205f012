// SPDX-License-Identifier: Apache-2.0
// A filter that grows with its keys, from a thousand to a million of them, each stage twice the one
// before: memory is what the process grew by, per key, and false positives are measured at the end.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cpu_time_testing.h"
#include "base/memory_testing.h"
#include "bloom/bloom_testing.h"
#include "bloom/growing_bloom.h"

namespace weir::bloom {
namespace {

constexpr std::size_t kFirstKeyCount = 1000;
constexpr std::size_t kKeyCount = 1'000'000;

void BM_GrowByAThousand(benchmark::State& state) {
  const auto keys = random_keys(1, kKeyCount);
  const auto others = random_keys(2, 200'000);
  const GrowingOptions options = plan_growth({.first_key_count = kFirstKeyCount,
                                              .false_positive_rate = 0.01,
                                              .factor = 2,
                                              .stage_count_max = 16});
  for ([[maybe_unused]] auto _ : state) {
    std::unique_ptr<GrowingBloom<ClassicBloom>> filter;
    double seconds = 0;
    const std::size_t growth = base::resident_growth([&] {
      filter = std::make_unique<GrowingBloom<ClassicBloom>>(options);
      seconds = base::seconds_of([&] {
        for (const std::uint64_t key : keys) filter->set(key);
      });
    });
    const auto hits = std::ranges::count_if(others, [&](auto key) { return !filter->test(key); });
    state.SetIterationTime(seconds);
    state.counters["bits_per_key"] = static_cast<double>(growth) * 8 / kKeyCount;
    state.counters["false_positives"] =
        static_cast<double>(hits) / static_cast<double>(others.size());
    state.counters["stages"] = static_cast<double>(filter->stage_count());
    state.counters["Mops"] = kKeyCount / seconds / 1e6;
  }
}
BENCHMARK(BM_GrowByAThousand)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bloom
