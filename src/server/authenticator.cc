// SPDX-License-Identifier: Apache-2.0
#include "server/authenticator.h"

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <utility>

#include "server/await_callback.h"

namespace weir::server {

using Answer = base::Result<broker::PrincipalPtr>;

struct Authenticator::Threads {
  explicit Threads(std::size_t count) : pool(count) {}
  ~Threads() { pool.join(); }

  asio::thread_pool pool;
};

Authenticator::Authenticator(broker::Broker& broker, Metrics& metrics, const ServerOptions& options)
    : broker_(broker),
      metrics_(metrics),
      queue_max_(options.authentication_queue_max),
      threads_(std::make_unique<Threads>(options.authentication_thread_count)) {}

Authenticator::~Authenticator() = default;

Task<Answer> Authenticator::authenticate(std::string token) {
  Answer answer = co_await find(token);
  if (!answer && answer.error().id == base::ErrorId::kBrokerUnauthenticated) {
    metrics_.count_refused_token();
  }
  co_return answer;
}

Task<Answer> Authenticator::find(const std::string& token) {
  if (auto known = broker_.recall(token)) co_return *std::move(known);
  if (waiting_count_.fetch_add(1) >= queue_max_) {
    waiting_count_.fetch_sub(1);
    metrics_.count_limit(Limit::kAuthenticationQueue);
    Answer busy = base::Error{base::ErrorId::kBrokerBusy,
                              "too many requests wait to be authenticated", std::nullopt};
    co_return busy;
  }
  auto start = [this, &token](std::function<void(Answer)> done) {
    auto work = [this, &token, done = std::move(done)] { done(broker_.authenticate(token)); };
    asio::post(threads_->pool, std::move(work));
  };
  Answer answer = co_await await_callback<Answer>(std::move(start));
  waiting_count_.fetch_sub(1);
  co_return answer;
}

}  // namespace weir::server
