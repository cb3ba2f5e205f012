// SPDX-License-Identifier: Apache-2.0
#include "server/slow_calls.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace weir::server {

struct SlowCalls::Threads {
  explicit Threads(std::size_t count) : pool(count) {}
  ~Threads() { pool.join(); }

  asio::thread_pool pool;
};

SlowCalls::SlowCalls(Metrics& metrics, const ServerOptions& options)
    : metrics_(metrics),
      queue_max_(options.authentication_queue_max),
      threads_(std::make_unique<Threads>(options.authentication_thread_count)) {}

SlowCalls::~SlowCalls() = default;

base::Result<void> SlowCalls::enter() {
  if (waiting_count_.fetch_add(1) < queue_max_) return {};
  leave();
  metrics_.count_limit(Limit::kAuthenticationQueue);
  return base::Error{base::ErrorId::kBrokerBusy,
                     "too many requests wait to be authenticated or for a token", std::nullopt};
}

void SlowCalls::post(std::function<void()> work) { asio::post(threads_->pool, std::move(work)); }

}  // namespace weir::server
