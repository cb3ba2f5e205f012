// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_slots.h"

#include <chrono>
#include <optional>

namespace weir::server {

using broker::WebhookTurns;

namespace {

constexpr std::chrono::seconds kDelay{1};  // that is told

base::Instant instant(Clock::time_point at) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count()};
}

}  // namespace

struct WebhookSlots::Waiter {
  explicit Waiter(const asio::any_io_executor& executor) : timer(executor) {}

  asio::steady_timer timer;
  std::optional<WebhookTurns::Turn> turn;
};

WebhookSlots::WebhookSlots(asio::any_io_executor executor, WebhookTurns::Limits limits)
    : executor_(std::move(executor)), limits_(limits), turns_(limits) {}

WebhookSlots::~WebhookSlots() = default;

WebhookSlots::Permit WebhookSlots::permit(const WebhookTurns::Turn& turn) {
  const bool is_short = turn.pace != WebhookTurns::Pace::kSlow;
  return {this, turn,
          is_short ? Clock::now() + std::chrono::nanoseconds(limits_.quick_time.nanoseconds)
                   : Clock::time_point::max()};
}

Task<WebhookSlots::Permit> WebhookSlots::acquire(broker::WebhookParty party,
                                                 std::function<void(std::string)> on_delay) {
  const auto waiter = std::make_shared<Waiter>(executor_);
  const WebhookTurns::Ticket ticket = turns_.ask(party);
  waiters_.emplace(ticket, waiter);
  give_out();
  if (!waiter->turn) {
    waiter->timer.expires_after(kDelay);
    NetError error;
    co_await waiter->timer.async_wait(to(error));
    if (!error && !waiter->turn) {
      on_delay(turns_.why_waits(ticket));
      waiter->timer.expires_at(Clock::time_point::max());
      co_await waiter->timer.async_wait(to(error));
    }
  }
  if (waiter->turn) co_return permit(*waiter->turn);
  waiters_.erase(ticket);
  turns_.withdraw(ticket);
  co_return Permit();
}

void WebhookSlots::release(WebhookTurns::Ticket ticket, bool is_answered) {
  turns_.end(ticket, is_answered, instant(Clock::now()));
  give_out();
}

void WebhookSlots::give_out() {
  while (const auto turn = turns_.next(instant(Clock::now()))) {
    const auto waiter = waiters_.extract(turn->ticket);
    waiter.mapped()->turn = turn;
    waiter.mapped()->timer.cancel();
  }
}

}  // namespace weir::server
