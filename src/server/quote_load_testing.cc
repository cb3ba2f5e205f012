// SPDX-License-Identifier: Apache-2.0
#include "server/quote_load_testing.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "server/http_test_client_testing.h"
#include "server/latency_watcher_testing.h"

namespace weir::server {
namespace {

std::string quote(base::Prng& prng, std::string_view id) {
  std::string text =
      fmt::format(R"({{"specversion":"1.0","id":"{}","source":"/exchanges/7","type":"quote",)"
                  R"("data":{{"symbol":"S{}","price":{}.{:02},"sent":{},"note":")",
                  id, prng.below(QuoteLoad::kSymbolCount), prng.below(100), prng.below(100),
                  microseconds_now());
  constexpr std::size_t kEnd = 3;
  const std::size_t length = text.size() + kEnd;
  text.append(length < QuoteLoad::kEventBytes ? QuoteLoad::kEventBytes - length : 1, 'x');
  return text + "\"}}";
}

// Publishes whole batches until the count is reached.
void publish_batches(std::uint16_t port, const std::string& name, std::uint64_t seed,
                     std::atomic<std::uint64_t>& count_left) {
  base::Prng prng(seed);
  TestClient client(port);
  for (std::uint64_t batch = 0;; ++batch) {
    std::uint64_t left = count_left.load();
    while (left != 0 && !count_left.compare_exchange_weak(left, left - QuoteLoad::kBatchEvents)) {
    }
    if (left == 0) return;
    std::string body = "[";
    for (std::uint64_t i = 0; i < QuoteLoad::kBatchEvents; ++i) {
      if (i > 0) body += ',';
      body += quote(prng, fmt::format("{}-{}-{}", name, batch, i));
    }
    const TestAnswer answer = client.request(
        "POST", "/events", "Content-Type: application/cloudevents-batch+json\r\n", body + ']');
    WEIR_CHECK(answer.status == 202 || answer.status == 200);
  }
}

}  // namespace

double QuoteLoad::publish(std::uint64_t event_count) {
  WEIR_CHECK(event_count % kBatchEvents == 0);
  ++round_;
  std::atomic<std::uint64_t> count_left = event_count;
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> publishers;
    for (std::size_t i = 0; i < kPublisherCount; ++i) {
      publishers.emplace_back([this, i, &count_left] {
        publish_batches(port_, fmt::format("{}-{}", round_, i), round_ * kPublisherCount + i,
                        count_left);
      });
    }
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(event_count) / passed.count();
}

}  // namespace weir::server
