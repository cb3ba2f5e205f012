// SPDX-License-Identifier: Apache-2.0
// Signal: wakes the coroutine that waits for it. Used from one io thread.
#pragma once

#include <utility>

#include "server/net.h"

namespace weir::server {

class Signal {
 public:
  explicit Signal(const asio::any_io_executor& executor) : timer_(executor) {}

  void set() {
    is_set_ = true;
    timer_.cancel();
  }

  // True when it has been set, false after the time; it is not set any more then.
  Task<bool> wait(Milliseconds timeout) {
    if (!is_set_) {
      NetError ignored;
      timer_.expires_after(timeout);
      co_await timer_.async_wait(to(ignored));
    }
    co_return std::exchange(is_set_, false);
  }

 private:
  asio::steady_timer timer_;
  bool is_set_ = false;
};

}  // namespace weir::server
