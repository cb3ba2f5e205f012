// SPDX-License-Identifier: Apache-2.0
// What a healthy subscriber notices of hostile clients: the time from publish to delivery before
// and during an attack, in the same run.
//
// All at once: a subscriber that stops reading while everything goes to it, fifty clients that send
// a byte now and then, 2 000 idle connections, bodies of a gigabyte, batches of a million.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "server/http_test_client_testing.h"
#include "server/latency_watcher_testing.h"
#include "server/served_broker_testing.h"

namespace weir::server {
namespace {

constexpr int kSampleCount = 300;
constexpr std::chrono::milliseconds kSampleInterval(5);
constexpr int kPatienceCount = 2'000;  // of such intervals, for the last ones
constexpr std::chrono::milliseconds kAttackInterval(50);
constexpr std::size_t kSlowCount = 50;
constexpr std::size_t kIdleCount = 2'000;
constexpr rlim_t kDescriptorCount = 8'192;
constexpr std::string_view kStructured = "Content-Type: application/cloudevents+json\r\n";
constexpr std::string_view kBatch = "Content-Type: application/cloudevents-batch+json\r\n";

// One event after the other, each with its time; the latencies at the watcher.
std::vector<double> sample(TestClient& publisher, LatencyWatcher& watcher, std::string_view round) {
  watcher.take();
  for (int i = 0; i < kSampleCount; ++i) {
    const std::string event =
        fmt::format(R"({{"specversion":"1.0","id":"{}-{}","source":"/s","type":"healthy",)"
                    R"("data":{{"sent":{}}}}})",
                    round, i, microseconds_now());
    WEIR_CHECK(publisher.request("POST", "/events", kStructured, event).status == 202);
    std::this_thread::sleep_for(kSampleInterval);
  }
  std::vector<double> latencies = watcher.take();
  for (int i = 0; i < kPatienceCount && latencies.size() < kSampleCount; ++i) {
    std::this_thread::sleep_for(kSampleInterval);
    std::ranges::copy(watcher.take(), std::back_inserter(latencies));
  }
  WEIR_CHECK(latencies.size() == kSampleCount);
  std::ranges::sort(latencies);
  return latencies;
}

// Everything at once, until it is destroyed.
class Attack {
 public:
  explicit Attack(std::uint16_t port) : port_(port), stuck_(port) {
    stuck_.send("GET /stream?filter=true HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (std::size_t i = 0; i < kSlowCount; ++i) {
      slow_.emplace_back(port);
      slow_.back().send("POST /events HTTP/1.1\r\nHost: l");
    }
    for (std::size_t i = 0; i < kIdleCount; ++i) idle_.emplace_back(port);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        strike();
        std::this_thread::sleep_for(kAttackInterval);
      }
    });
  }

 private:
  void strike() {
    for (TestClient& client : slow_) client.send("a");
    send_gigabyte("Content-Length: 1073741824", megabyte_);
    send_gigabyte("Transfer-Encoding: chunked", fmt::format("100000\r\n{}\r\n", megabyte_));
    TestClient(port_).request("POST", "/events", kBatch, million_);
    TestClient(port_).request("POST", "/events", kBatch, bulk());
  }

  // Or as much of it as the server takes.
  void send_gigabyte(std::string_view field, const std::string& piece) const {
    TestClient client(port_);
    client.send(fmt::format("POST /events HTTP/1.1\r\nHost: localhost\r\n{}\r\n\r\n", field));
    for (int i = 0; i < 1024 && client.send(piece); ++i) {
    }
  }

  static std::string batch_of(std::size_t count, const std::function<std::string()>& make) {
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += ',';
      text += make();
    }
    return text + "]";
  }

  // Something for the subscriber that does not read.
  std::string bulk() {
    return batch_of(100, [this] {
      return fmt::format(
          R"({{"specversion":"1.0","id":"{}","source":"/b","type":"bulk","data":"{}"}})",
          ++bulk_count_, std::string(1000, 'x'));
    });
  }

  std::uint16_t port_;
  std::string million_ = batch_of(1'000'000, [] { return std::string("{}"); });
  std::string megabyte_ = std::string(std::size_t{1} << 20U, 'x');
  std::uint64_t bulk_count_ = 0;
  TestClient stuck_;
  std::vector<TestClient> slow_;
  std::vector<TestClient> idle_;
  std::jthread thread_;
};

void BM_HealthyUnderAttack(benchmark::State& state) {
  rlimit limit{};
  WEIR_CHECK(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = std::min(limit.rlim_max, kDescriptorCount);
  WEIR_CHECK(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  for ([[maybe_unused]] auto _ : state) {
    const ServedBroker broker({.io_thread_count = 2});
    LatencyWatcher watcher(broker.port(), "type = 'healthy'");
    TestClient publisher(broker.port());
    sample(publisher, watcher, "warm");
    const std::vector<double> before = sample(publisher, watcher, "before");
    const std::size_t bytes_before = resident_bytes_of(broker.process());
    std::vector<double> during;
    {
      const Attack attack(broker.port());
      during = sample(publisher, watcher, "during");
    }
    const std::size_t bytes_after = resident_bytes_of(broker.process());
    state.SetIterationTime(percentile(during, 0.5) / 1000.0);
    state.counters["before_p50_ms"] = percentile(before, 0.5);
    state.counters["attack_p50_ms"] = percentile(during, 0.5);
    state.counters["before_p99_ms"] = percentile(before, 0.99);
    state.counters["attack_p99_ms"] = percentile(during, 0.99);
    state.counters["x_before"] = percentile(during, 0.5) / percentile(before, 0.5);
    state.counters["x_before_p99"] = percentile(during, 0.99) / percentile(before, 0.99);
    state.counters["grown_mib"] = static_cast<double>(bytes_after) / 1048576.0 -
                                  static_cast<double>(bytes_before) / 1048576.0;
  }
}
BENCHMARK(BM_HealthyUnderAttack)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::server
