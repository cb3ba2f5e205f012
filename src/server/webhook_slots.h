// SPDX-License-Identifier: Apache-2.0
// WebhookSlots: how many requests may be under way at once, in all and of one owner.
//
// An owner always has one, whatever the others do; the rest goes to whoever has fewest, and among
// those to who came first. So sinks that never answer delay their owner's only.
//
// Used from one io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "server/net.h"

namespace weir::server {

class WebhookSlots {
  struct Owner;

 public:
  struct Limits {
    std::size_t count = 0;  // but for the one that every owner has
    std::size_t per_owner = 0;
  };

  WebhookSlots(asio::any_io_executor executor, Limits limits);
  ~WebhookSlots();
  WebhookSlots(const WebhookSlots&) = delete;
  WebhookSlots& operator=(const WebhookSlots&) = delete;

  // Holds a slot until it is destroyed; an empty one, of an acquire() that was cancelled, holds
  // nothing.
  class Permit {
   public:
    explicit Permit(WebhookSlots* slots = nullptr, std::string owner = {})
        : slots_(slots), owner_(std::move(owner)) {}
    Permit(Permit&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)), owner_(std::move(other.owner_)) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (slots_ != nullptr) slots_->release(owner_);
    }

   private:
    WebhookSlots* slots_;
    std::string owner_;
  };

  Task<Permit> acquire(std::string owner);

 private:
  struct Waiter;

  bool may_take(const Owner& owner) const;
  void take(Owner& owner);
  void release(const std::string& owner);
  void give_out();
  void forget_if_idle(const std::string& owner);

  asio::any_io_executor executor_;
  Limits limits_;
  std::size_t held_count_ = 0;
  std::uint64_t ticket_ = 0;
  std::map<std::string, Owner> owners_;  // that have a slot or wait for one
};

}  // namespace weir::server
