// SPDX-License-Identifier: Apache-2.0
#include "server/deadline.h"

#include <utility>

namespace weir::server {

struct Deadline::State : std::enable_shared_from_this<State> {
  State(const asio::any_io_executor& executor, std::function<void()> on_expire)
      : timer(executor), expire(std::move(on_expire)) {}

  void arm() {
    armed_at = at;
    timer.expires_at(at);
    timer.async_wait([self = shared_from_this()](NetError error) {
      if (error != asio::error::operation_aborted) self->on_timer();
    });
  }

  void on_timer() {
    armed_at = Clock::time_point::max();
    if (at == Clock::time_point::max() || !expire) return;
    if (Clock::now() < at) return arm();
    at = Clock::time_point::max();
    expired = true;
    expire();
  }

  asio::steady_timer timer;
  std::function<void()> expire;
  Clock::time_point at = Clock::time_point::max();
  Clock::time_point armed_at = Clock::time_point::max();
  bool expired = false;
};

Deadline::Deadline(const asio::any_io_executor& executor, std::function<void()> expire)
    : state_(std::make_shared<State>(executor, std::move(expire))) {}

Deadline::~Deadline() {
  state_->expire = nullptr;
  state_->timer.cancel();
}

void Deadline::set_at(Clock::time_point at) {
  state_->at = at;
  state_->expired = false;
  if (at < state_->armed_at) state_->arm();
}

void Deadline::clear() { state_->at = Clock::time_point::max(); }

bool Deadline::expired() const { return state_->expired; }

}  // namespace weir::server
