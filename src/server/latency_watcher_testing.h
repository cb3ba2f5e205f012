// SPDX-License-Identifier: Apache-2.0
// LatencyWatcher: streams events from a server and notes how long each was on its way. An event
// tells when it was sent by a number "sent" in its data: microseconds_now().
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "server/http_test_client_testing.h"

namespace weir::server {

// By the steady clock of this machine.
std::int64_t microseconds_now();

class LatencyWatcher {
 public:
  // Streams what passes the filter until it is destroyed. Aborts if the server refuses.
  LatencyWatcher(std::uint16_t port, std::string_view filter);
  ~LatencyWatcher();
  LatencyWatcher(const LatencyWatcher&) = delete;
  LatencyWatcher& operator=(const LatencyWatcher&) = delete;

  // The latencies so far in milliseconds, ascending; begins anew.
  std::vector<double> take();

 private:
  void watch();

  TestClient client_;
  std::mutex mutex_;
  std::vector<double> latencies_;
  std::jthread thread_;
};

// The value below which so large a share of the ascending values lies; 0 if there are none.
double percentile(const std::vector<double>& ascending, double share);

}  // namespace weir::server
