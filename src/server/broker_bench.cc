// SPDX-License-Identifier: Apache-2.0
// The broker as publishers and subscribers meet it: HTTP on loopback, events on disk when they are
// answered, 10 000 content subscriptions, one subscriber streaming; beside nats-server with
// JetStream on files, one replica, published asynchronously, in the same run.
//
// JetStream of that version writes to files and leaves their fsync to a timer; Weir answers after
// the fsync. Both get 300 bytes per event; Weir's are CloudEvents in batches of 100.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "server/jetstream_testing.h"
#include "server/latency_watcher_testing.h"
#include "server/quote_load_testing.h"
#include "server/served_broker_testing.h"

namespace weir::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kSubscriptionCount = 10'000;
constexpr std::uint64_t kEventCount = 400'000;
constexpr std::uint64_t kJetStreamWindow = 4'000;
constexpr std::string_view kWatched = "S7";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Ten subscriptions for each symbol, each to another range of prices.
std::vector<std::string> filters() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kSubscriptionCount; ++i) {
    texts.push_back(
        fmt::format("type = 'quote' and data.symbol = 'S{}' and data.price between {} and {}",
                    i % QuoteLoad::kSymbolCount, 10 * (i / QuoteLoad::kSymbolCount),
                    10 * (i / QuoteLoad::kSymbolCount) + 30));
  }
  return texts;
}

double publish_to_jetstream(benchmark::State& state) {
  JetStream jetstream;
  const std::string payload(QuoteLoad::kEventBytes, 'x');
  const base::Duration cpu_before = cpu_time_of(jetstream.process());
  const Clock::time_point begin = Clock::now();
  jetstream.publish(payload, kEventCount, kJetStreamWindow);
  const double seconds = seconds_since(begin);
  const base::Duration cpu = cpu_time_of(jetstream.process());
  state.counters["jetstream_cpu_us_per_event"] =
      static_cast<double>(cpu.nanoseconds - cpu_before.nanoseconds) / 1000.0 /
      static_cast<double>(kEventCount);
  return static_cast<double>(kEventCount) / seconds;
}

void BM_BrokerDurable(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    const ServedBroker broker({.filters = filters()});
    LatencyWatcher watcher(broker.port(), fmt::format("data.symbol = '{}'", kWatched));
    const base::Duration cpu_before = cpu_time_of(broker.process());
    const double rate = QuoteLoad(broker.port()).publish(kEventCount);
    const base::Duration cpu = cpu_time_of(broker.process());
    const std::vector<double> latencies = watcher.take();
    const double jetstream_rate = publish_to_jetstream(state);
    state.SetIterationTime(static_cast<double>(kEventCount) / rate);
    state.counters["events_per_s"] = rate;
    state.counters["jetstream_per_s"] = jetstream_rate;
    state.counters["x_jetstream"] = rate / jetstream_rate;
    state.counters["cpu_us_per_event"] =
        static_cast<double>(cpu.nanoseconds - cpu_before.nanoseconds) / 1000.0 /
        static_cast<double>(kEventCount);
    state.counters["p50_ms"] = percentile(latencies, 0.5);
    state.counters["p99_ms"] = percentile(latencies, 0.99);
  }
}
BENCHMARK(BM_BrokerDurable)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::server
