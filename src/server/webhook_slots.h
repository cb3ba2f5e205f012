// SPDX-License-Identifier: Apache-2.0
// WebhookSlots: how many requests may be under way at once; who comes first is served first.
//
// Used from one io thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "server/net.h"

namespace weir::server {

class WebhookSlots {
 public:
  WebhookSlots(asio::any_io_executor executor, std::size_t count)
      : executor_(std::move(executor)), free_count_(count) {}

  // Holds a slot until it is destroyed; an empty one, of an acquire() that was cancelled, holds
  // nothing.
  class Permit {
   public:
    explicit Permit(WebhookSlots* slots = nullptr) : slots_(slots) {}
    Permit(Permit&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (slots_ != nullptr) slots_->release();
    }

   private:
    WebhookSlots* slots_;
  };

  Task<Permit> acquire();

 private:
  struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor) : timer(executor) {}

    asio::steady_timer timer;
    bool has_slot = false;
  };

  void release();

  asio::any_io_executor executor_;
  std::size_t free_count_;
  std::deque<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace weir::server
