// SPDX-License-Identifier: Apache-2.0
// SlowCalls: makes calls that take long (a slow hash, the disk) off the io threads. A few run at a
// time, some wait, and more are refused with kBrokerBusy.
//
//   std::function<base::Result<T>()> call = [&] { return broker.slow_thing(); };
//   const auto answer = co_await services.slow_calls.run<T>(std::move(call));
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "base/result.h"
#include "server/await_callback.h"
#include "server/metrics.h"
#include "server/net.h"
#include "server/server_options.h"

namespace weir::server {

class SlowCalls {
 public:
  SlowCalls(Metrics& metrics, const ServerOptions& options);
  ~SlowCalls();

  // The call may refer to what the coroutine holds.
  template <typename T>
  Task<base::Result<T>> run(std::function<base::Result<T>()> call) {
    using Answer = base::Result<T>;
    if (auto entered = enter(); !entered) co_return entered.error();
    auto start = [this, &call](std::function<void(Answer)> done) {
      post([&call, done = std::move(done)] { done(call()); });
    };
    Answer answer = co_await await_callback<Answer>(std::move(start));
    leave();
    co_return answer;
  }

 private:
  struct Threads;

  base::Result<void> enter();
  void leave() { waiting_count_.fetch_sub(1); }
  void post(std::function<void()> work);

  Metrics& metrics_;
  const std::size_t queue_max_;
  std::atomic<std::size_t> waiting_count_ = 0;
  std::unique_ptr<Threads> threads_;
};

}  // namespace weir::server
