// SPDX-License-Identifier: Apache-2.0
// What `weir filter` costs per event: ten content filters on quotes of about 300 bytes, through the
// same loop as the command, from memory to memory.
//
// The baseline reads the same lines and copies each one, which is what any filter of lines does;
// decode_events_per_cpu_s decodes them as well, so that the rest is the filters' share.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "base/prng.h"
#include "cli/filter_loop.h"
#include "event/event_generator_testing.h"

namespace weir::cli {
namespace {

constexpr std::size_t kEventCount = 100'000;

// Together they let 1 event in 200 through.
constexpr std::array<std::string_view, 10> kFilters = {
    "type = 'quote' and subject = 'INTC' and data.price between 20 and 25",
    "type = 'quote' and subject = 'YHOO' and data.price > 905 and data.size >= 1000",
    "type = 'trade' and data.symbol = 'MSFT' and data.price > 100",
    "data.symbol = 'IBM' and data.size = 5000 and data.flag = true",
    "source prefix '/exchanges/7/' and data.symbol in ('AAPL', 'GOOGL') and data.bid < 50",
    "data.venue = 'ARCX' and data.price < 12 and data.flag = false",
    "type = 'quote' and subject like 'A%' and data.ask > 908",
    "subject = 'T' and data.venue = 'BATS' and data.size > 4500 and data.price > 600",
    "data.bid > 909 and data.venue = 'XNAS'",
    "type = 'quote' and source suffix '/feed' and data.size = 100 and data.price between 500 and "
    "510",
};

std::string make_input(std::size_t event_count) {
  base::Prng prng(7);
  std::string input;
  for (std::size_t n = 0; n < event_count; ++n) {
    input += event::quote_event_json(prng, n);
    input += '\n';
  }
  return input;
}

// With so many filters, the ten in turn. Gives the number of lines written.
std::uint64_t filter(const std::string& input, std::size_t filter_count) {
  engine::Engine engine;
  std::vector<engine::SubscriptionId> ids;
  for (std::size_t i = 0; i < filter_count; ++i) {
    ids.push_back(engine.subscribe(kFilters[i % kFilters.size()]).value());
  }
  MemorySource source(input);
  StringSink sink;
  Output output(sink);
  Progress progress(output, {});
  FilterLoop loop(engine, ids, {});
  WEIR_CHECK(loop.run(source, output, progress).has_value());
  return loop.counts().written;
}

template <typename Take>
void for_each_line(const std::string& input, Take&& take) {
  MemorySource source(input);
  LineReader reader(source);
  while (reader.next().value()) take(reader.line());
}

void copy(const std::string& input) {
  std::string copied;
  for_each_line(input, [&](std::string_view line) {
    copied.assign(line);
    benchmark::DoNotOptimize(copied.data());
  });
}

void decode(const std::string& input) {
  for_each_line(input, [](std::string_view line) {
    const auto event = event::decode_event(line);
    WEIR_CHECK(event.has_value());
  });
}

// One iteration is a round of each, so that a slow moment of the machine hits all; the best round
// of each counts.
void BM_FilterTenContentFilters(benchmark::State& state) {
  const std::string input = make_input(kEventCount);
  double best = std::numeric_limits<double>::infinity();
  double best_copy = best;
  double best_decode = best;
  std::uint64_t written = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double seconds = base::seconds_of([&] { written = filter(input, kFilters.size()); });
    best = std::min(best, seconds);
    best_copy = std::min(best_copy, base::seconds_of([&] { copy(input); }));
    best_decode = std::min(best_decode, base::seconds_of([&] { decode(input); }));
    state.SetIterationTime(seconds);
  }
  const auto count = static_cast<double>(kEventCount);
  state.counters["events_per_cpu_s"] = count / best;
  state.counters["baseline_events_per_cpu_s"] = count / best_copy;
  state.counters["decode_events_per_cpu_s"] = count / best_decode;
  state.counters["x_copy"] = best_copy / best;
  state.counters["event_bytes"] = static_cast<double>(input.size()) / count;
  state.counters["written"] = static_cast<double>(written);
}
BENCHMARK(BM_FilterTenContentFilters)->UseManualTime()->Unit(benchmark::kMillisecond);

// A thousand events, over the number of filters: every one of them is looked at.
void BM_FilterThousandEvents(benchmark::State& state) {
  const std::string input = make_input(1'000);
  const auto filter_count = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    state.SetIterationTime(
        base::seconds_of([&] { benchmark::DoNotOptimize(filter(input, filter_count)); }));
  }
}
BENCHMARK(BM_FilterThousandEvents)->UseManualTime()->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

}  // namespace
}  // namespace weir::cli
