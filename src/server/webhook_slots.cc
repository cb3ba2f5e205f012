// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_slots.h"

#include <deque>
#include <memory>
#include <utility>

namespace weir::server {

Task<WebhookSlots::Permit> WebhookSlots::acquire() {
  if (free_count_ > 0) {
    --free_count_;
    co_return Permit(this);
  }
  const auto waiter = std::make_shared<Waiter>(executor_);
  waiter->timer.expires_at(Clock::time_point::max());
  waiters_.push_back(waiter);
  NetError ignored;
  co_await waiter->timer.async_wait(to(ignored));
  if (waiter->has_slot) co_return Permit(this);
  std::erase(waiters_, waiter);
  co_return Permit();
}

void WebhookSlots::release() {
  if (waiters_.empty()) {
    ++free_count_;
    return;
  }
  const std::shared_ptr<Waiter> next = std::move(waiters_.front());
  waiters_.pop_front();
  next->has_slot = true;
  next->timer.cancel();
}

}  // namespace weir::server
