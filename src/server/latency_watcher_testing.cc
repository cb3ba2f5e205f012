// SPDX-License-Identifier: Apache-2.0
#include "server/latency_watcher_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

#include "base/check.h"

namespace weir::server {
namespace {

constexpr std::string_view kSent = "\"sent\":";

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

std::int64_t microseconds_now() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_start).count();
}

LatencyWatcher::LatencyWatcher(std::uint16_t port, std::string_view filter) : client_(port) {
  client_.send(fmt::format(
      "GET /stream?filter={} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n",
      percent_encoded(filter)));
  WEIR_CHECK(client_.read_head().status == 200);
  thread_ = std::jthread([this] { watch(); });
}

LatencyWatcher::~LatencyWatcher() {
  client_.finish();
  thread_.join();
}

std::vector<double> LatencyWatcher::take() {
  const std::scoped_lock lock(mutex_);
  std::ranges::sort(latencies_);
  return std::exchange(latencies_, {});
}

void LatencyWatcher::watch() {
  for (std::string line; !(line = client_.read_until("\n")).empty();) {
    const std::size_t sent = line.find(kSent);
    if (sent == std::string::npos) continue;
    std::int64_t at = 0;
    std::from_chars(line.data() + sent + kSent.size(), line.data() + line.size(), at);
    const std::scoped_lock lock(mutex_);
    latencies_.push_back(static_cast<double>(microseconds_now() - at) / 1000.0);
  }
}

double percentile(const std::vector<double>& ascending, double share) {
  if (ascending.empty()) return 0;
  return ascending[static_cast<std::size_t>(share * static_cast<double>(ascending.size() - 1))];
}

}  // namespace weir::server
