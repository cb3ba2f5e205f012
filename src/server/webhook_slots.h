// SPDX-License-Identifier: Apache-2.0
// WebhookSlots: how many requests to sinks may be under way at once: in all, of one owner, and to
// one host of an owner. broker::WebhookTurns decides who is next; this waits.
//
// Used from one io thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "broker/webhook_turns.h"
#include "server/net.h"

namespace weir::server {

class WebhookSlots {
 public:
  WebhookSlots(asio::any_io_executor executor, broker::WebhookTurns::Limits limits);
  ~WebhookSlots();
  WebhookSlots(const WebhookSlots&) = delete;
  WebhookSlots& operator=(const WebhookSlots&) = delete;

  // Holds a slot until it is destroyed; an empty one, of an acquire() that was cancelled, holds
  // nothing.
  class Permit {
   public:
    Permit() = default;
    Permit(WebhookSlots* slots, broker::WebhookTurns::Turn turn, Clock::time_point until)
        : slots_(slots), turn_(turn), until_(until) {}
    Permit(Permit&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)),
          turn_(other.turn_),
          until_(other.until_),
          is_answered_(other.is_answered_) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (slots_ != nullptr) slots_->release(turn_.ticket, is_answered_);
    }

    // When the request must be given up: then the host is slow, and has a longer turn later.
    Clock::time_point until() const { return until_; }
    // The host has answered, or refused the connection.
    void set_answered() { is_answered_ = true; }

   private:
    WebhookSlots* slots_ = nullptr;
    broker::WebhookTurns::Turn turn_;
    Clock::time_point until_ = Clock::time_point::max();
    bool is_answered_ = false;
  };

  // Calls `on_delay` with the reason if it waits for longer than a second.
  Task<Permit> acquire(broker::WebhookParty party, std::function<void(std::string)> on_delay);

 private:
  struct Waiter;

  Permit permit(const broker::WebhookTurns::Turn& turn);
  void release(broker::WebhookTurns::Ticket ticket, bool is_answered);
  void give_out();

  asio::any_io_executor executor_;
  broker::WebhookTurns::Limits limits_;
  broker::WebhookTurns turns_;
  std::map<broker::WebhookTurns::Ticket, std::shared_ptr<Waiter>> waiters_;
};

}  // namespace weir::server
