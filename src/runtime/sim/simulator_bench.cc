// SPDX-License-Identifier: Apache-2.0
// Speed of the simulator: members pass messages on to random members and wake now and then. The
// baseline, in the same run, is a std::priority_queue with the same number of pushes and pops.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_time_testing.h"
#include "base/memory_testing.h"
#include "base/prng.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/simulator.h"
#include "runtime/sim/world.h"

namespace weir::runtime::sim {
namespace {

using base::Duration;
using base::Instant;
using protocol::NodeId;

constexpr protocol::MessageKind kKind{.protocol = protocol::ProtocolId::kProbe, .number = 0};
constexpr std::size_t kMessageBytes = 40;
constexpr std::size_t kUnderWayPerNode = 4;
constexpr int kRounds = 5;  // the start takes longer than a round

class Relay : public protocol::Node {
 public:
  Relay(std::uint64_t node_count, std::uint64_t seed) : node_count_(node_count), prng_(seed) {}

  void on_message(Instant /*now*/, NodeId /*source*/, std::string_view message,
                  protocol::Effects& effects) override {
    effects.relay({(prng_.next() % node_count_) + 1}, kKind, std::string(message));
  }
  void on_wake(Instant now, protocol::Effects& effects) override {
    effects.wake_at(now + Duration::seconds(1));
  }

 private:
  std::uint64_t node_count_;
  base::Prng prng_;
};

std::unique_ptr<Simulator> relays(std::uint64_t node_count, const LinkOptions& link) {
  auto sim = std::make_unique<Simulator>(SimulatorOptions{.seed = 1, .link = link},
                                         [node_count](NodeId, std::uint64_t seed) {
                                           return std::make_unique<Relay>(node_count, seed);
                                         });
  for (std::uint64_t i = 0; i < node_count; ++i) sim->add();
  for (std::uint64_t i = 1; i <= node_count; ++i) {
    for (std::size_t k = 0; k < kUnderWayPerNode; ++k) {
      sim->tell({i}, std::string(kMessageBytes, 'x'));
    }
  }
  return sim;
}

// Pops and pushes per second, with as many entries in the queue as in the simulator.
double baseline_rate(std::size_t entry_count) {
  constexpr std::size_t kSteps = 1'000'000;
  using Entry = std::pair<std::int64_t, std::uint64_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  base::Prng prng(2);
  for (std::size_t i = 0; i < entry_count; ++i) {
    queue.emplace(static_cast<std::int64_t>(prng.next() % 50'000'000), i);
  }
  const double seconds = base::seconds_of([&] {
    for (std::size_t i = 0; i < kSteps; ++i) {
      const Entry entry = queue.top();
      queue.pop();
      queue.emplace(entry.first + static_cast<std::int64_t>(prng.next() % 50'000'000), i);
    }
  });
  benchmark::DoNotOptimize(queue.top());
  return kSteps / seconds;
}

void BM_SimRelay(benchmark::State& state) {
  const auto node_count = static_cast<std::uint64_t>(state.range(0));
  const LinkOptions link{.latency_min = Duration::milliseconds(10),
                         .latency_max = Duration::milliseconds(50),
                         .keeps_order = state.range(1) != 0};
  const double baseline = baseline_rate(node_count * (kUnderWayPerNode + 1));
  std::unique_ptr<Simulator> sim;
  const std::size_t bytes = base::resident_growth([&] {
    sim = relays(node_count, link);
    sim->run_until({Duration::milliseconds(200).nanoseconds});
  });
  const std::uint64_t before = sim->message_count();
  double seconds = 0;
  for (auto _ : state) {
    const Instant until = sim->now() + Duration::milliseconds(100);
    seconds += base::seconds_of([&] { sim->run_until(until); });
  }
  const double rate = static_cast<double>(sim->message_count() - before) / seconds;
  state.counters["messages_per_cpu_s"] = rate;
  state.counters["x_queue"] = rate / baseline;
  state.counters["cpu_s_per_1e7"] = 1e7 / rate;
  state.counters["bytes_per_node"] = static_cast<double>(bytes) / static_cast<double>(node_count);
}
BENCHMARK(BM_SimRelay)
    ->ArgNames({"members", "ordered"})
    ->Args({10'000, 0})
    ->Args({10'000, 1})
    ->Args({80'000, 0})
    ->Iterations(kRounds);

void BM_SimChord(benchmark::State& state) {
  Scenario scenario;
  scenario.members.count = static_cast<std::uint64_t>(state.range(0));
  scenario.link.latency_max = Duration::milliseconds(50);
  std::unique_ptr<World> world;
  const std::size_t bytes = base::resident_growth([&] {
    world = std::make_unique<World>(scenario);
    world->start(scenario.members);
    world->sim().run_until({Duration::seconds(2).nanoseconds});
  });
  Simulator& sim = world->sim();
  const std::uint64_t before = sim.message_count();
  double seconds = 0;
  for (auto _ : state) {
    const Instant until = sim.now() + Duration::milliseconds(500);
    seconds += base::seconds_of([&] { sim.run_until(until); });
  }
  const double rate = static_cast<double>(sim.message_count() - before) / seconds;
  state.counters["messages_per_cpu_s"] = rate;
  state.counters["cpu_s_per_1e7"] = 1e7 / rate;
  state.counters["bytes_per_node"] =
      static_cast<double>(bytes) / static_cast<double>(scenario.members.count);
}
BENCHMARK(BM_SimChord)->ArgName("members")->Arg(10'000)->Iterations(kRounds);

}  // namespace
}  // namespace weir::runtime::sim
