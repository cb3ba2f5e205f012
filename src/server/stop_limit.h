// SPDX-License-Identifier: Apache-2.0
// StopLimit: calls `give_up` from a thread of its own unless it is destroyed within the limit.
//
// Whoever stops waits for threads that may wait for a disk, and a disk may not answer at all. No
// thread can be made to leave such a call: only the end of the process does that.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace weir::server {

class StopLimit {
 public:
  StopLimit(std::chrono::nanoseconds limit, std::function<void()> give_up);

 private:
  static void wait(const std::stop_token& stop, std::chrono::nanoseconds limit,
                   const std::function<void()>& give_up);

  std::jthread thread_;
};

}  // namespace weir::server
