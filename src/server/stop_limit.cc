// SPDX-License-Identifier: Apache-2.0
#include "server/stop_limit.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace weir::server {

StopLimit::StopLimit(std::chrono::nanoseconds limit, std::function<void()> give_up)
    : thread_([limit, give_up = std::move(give_up)](const std::stop_token& stop) {
        wait(stop, limit, give_up);
      }) {}

void StopLimit::wait(const std::stop_token& stop, std::chrono::nanoseconds limit,
                     const std::function<void()>& give_up) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  ended.wait_for(lock, stop, limit, [] { return false; });
  if (!stop.stop_requested()) give_up();
}

}  // namespace weir::server
