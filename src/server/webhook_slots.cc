// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_slots.h"

#include <tuple>

namespace weir::server {

struct WebhookSlots::Waiter {
  Waiter(const asio::any_io_executor& executor, std::uint64_t the_ticket)
      : timer(executor), ticket(the_ticket) {}

  asio::steady_timer timer;
  std::uint64_t ticket;  // who came first has the lower one
  bool has_slot = false;
};

struct WebhookSlots::Owner {
  std::size_t held_count = 0;
  std::deque<std::shared_ptr<Waiter>> waiters = {};
};

WebhookSlots::WebhookSlots(asio::any_io_executor executor, Limits limits)
    : executor_(std::move(executor)), limits_(limits) {}

WebhookSlots::~WebhookSlots() = default;

bool WebhookSlots::may_take(const Owner& owner) const {
  return owner.held_count == 0 ||
         (owner.held_count < limits_.per_owner && held_count_ < limits_.count);
}

void WebhookSlots::take(Owner& owner) {
  ++owner.held_count;
  ++held_count_;
}

Task<WebhookSlots::Permit> WebhookSlots::acquire(std::string owner) {
  Owner& own = owners_[owner];
  if (own.waiters.empty() && may_take(own)) {
    take(own);
    co_return Permit(this, std::move(owner));
  }
  const auto waiter = std::make_shared<Waiter>(executor_, ++ticket_);
  waiter->timer.expires_at(Clock::time_point::max());
  own.waiters.push_back(waiter);
  NetError ignored;
  co_await waiter->timer.async_wait(to(ignored));
  if (waiter->has_slot) co_return Permit(this, std::move(owner));
  std::erase(owners_[owner].waiters, waiter);
  forget_if_idle(owner);
  co_return Permit();
}

void WebhookSlots::release(const std::string& owner) {
  --owners_[owner].held_count;
  --held_count_;
  give_out();
  forget_if_idle(owner);
}

void WebhookSlots::give_out() {
  for (;;) {
    Owner* next = nullptr;
    const auto rank = [](const Owner& owner) {
      return std::tuple(owner.held_count, owner.waiters.front()->ticket);
    };
    for (auto& [name, owner] : owners_) {
      if (owner.waiters.empty() || !may_take(owner)) continue;
      if (next == nullptr || rank(owner) < rank(*next)) next = &owner;
    }
    if (next == nullptr) return;
    take(*next);
    next->waiters.front()->has_slot = true;
    next->waiters.front()->timer.cancel();
    next->waiters.pop_front();
  }
}

void WebhookSlots::forget_if_idle(const std::string& owner) {
  const auto found = owners_.find(owner);
  if (found->second.held_count == 0 && found->second.waiters.empty()) owners_.erase(found);
}

}  // namespace weir::server
