// SPDX-License-Identifier: Apache-2.0
// Live publishing beside a replay: a million old events are read into a new change filter while
// quotes are published at full speed; beside the same without a replay, in turns in one run.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "event/json_document.h"
#include "server/http_test_client_testing.h"
#include "server/quote_load_testing.h"
#include "server/served_broker_testing.h"

namespace weir::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kOldEvents = 1'000'000;
constexpr std::uint64_t kTurnEvents = 200'000;
constexpr int kTurns = 3;

constexpr const char* kDefinition =
    R"({"filters":[{"weir":"change(data.price, by data.symbol) > 99.9"}],)"
    R"("config":{"start":"earliest","initial":"none"}})";

// The event that the replay reads next; 0 if it has caught up.
std::uint64_t next_of_replay(TestClient& client) {
  const TestAnswer answer = client.request("GET", "/subscriptions/late", "", "");
  const auto document = event::JsonDocument::parse(answer.body);
  WEIR_CHECK(document.has_value());
  const event::JsonRef status = document->root().member("status");
  WEIR_CHECK(static_cast<bool>(status));
  const event::JsonRef replay = status.member("replay");
  return replay ? static_cast<std::uint64_t>(replay.member("next").value().as_int()) : 0;
}

void expect_status(const TestAnswer& answer, unsigned status) {
  WEIR_CHECK(answer.status == status);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void BM_PublishBesideReplay(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    const ServedBroker broker({.filters = {}});
    QuoteLoad load(broker.port());
    TestClient client(broker.port());
    load.publish(kOldEvents);
    std::vector<double> alone;
    std::vector<double> beside;
    std::vector<double> replayed;
    for (int turn = 0; turn < kTurns; ++turn) {
      alone.push_back(load.publish(kTurnEvents));
      expect_status(client.request("PUT", "/subscriptions/late",
                                   "Content-Type: application/json\r\n", kDefinition),
                    201);
      const Clock::time_point begin = Clock::now();
      beside.push_back(load.publish(kTurnEvents));
      const std::chrono::duration<double> passed = Clock::now() - begin;
      const std::uint64_t next = next_of_replay(client);
      WEIR_CHECK(next != 0);  // else it was not beside it all the time
      replayed.push_back(static_cast<double>(next) / passed.count());
      expect_status(client.request("DELETE", "/subscriptions/late", "", ""), 204);
    }
    expect_status(client.request("PUT", "/subscriptions/late", "Content-Type: application/json\r\n",
                                 kDefinition),
                  201);
    const Clock::time_point begin = Clock::now();
    while (next_of_replay(client) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::chrono::duration<double> quiet = Clock::now() - begin;
    state.SetIterationTime(quiet.count());
    state.counters["alone_per_s"] = median(alone);
    state.counters["beside_per_s"] = median(beside);
    state.counters["x_alone"] = median(beside) / median(alone);
    state.counters["replayed_per_s"] = median(replayed);
    state.counters["quiet_replayed_per_s"] =
        static_cast<double>(kOldEvents + kTurns * 2 * kTurnEvents) / quiet.count();
  }
}
BENCHMARK(BM_PublishBesideReplay)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::server
