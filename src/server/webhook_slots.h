// SPDX-License-Identifier: Apache-2.0
// WebhookSlots: how many requests to sinks may be under way at once: in all, of one owner, and to
// one host of an owner.
//
// A token's owner always has one, whatever the others do; the rest goes to the owner that has
// fewest. Within an owner the host is next that has used its slots for the shortest time lately. A
// quarter of all slots, and of an owner's, is kept for hosts whose last request was answered
// quickly: so hosts that are slow, or never answer, delay each other, not the rest of their
// owner's. Subscriptions without an owner belong to nobody in particular: each of their hosts is an
// owner of its own there, without the slot that an owner always has.
//
// Used from one io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "server/net.h"

namespace weir::server {

// Whom a request is sent for, and where to.
struct WebhookParty {
  std::string owner;  // empty: anonymous
  std::string host;   // with its port
};

class WebhookSlots {
  struct Host;
  struct Owner;

 public:
  struct Limits {
    std::size_t count = 0;  // but for the one that every owner has
    std::size_t per_owner = 0;
    std::size_t per_host = 0;  // of one owner
  };

  WebhookSlots(asio::any_io_executor executor, Limits limits);
  ~WebhookSlots();
  WebhookSlots(const WebhookSlots&) = delete;
  WebhookSlots& operator=(const WebhookSlots&) = delete;

  // Holds a slot until it is destroyed; an empty one, of an acquire() that was cancelled, holds
  // nothing.
  class Permit {
   public:
    Permit() = default;
    Permit(WebhookSlots* slots, WebhookParty party, bool is_quick)
        : slots_(slots), party_(std::move(party)), is_quick_(is_quick), since_(Clock::now()) {}
    Permit(Permit&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)),
          party_(std::move(other.party_)),
          is_quick_(other.is_quick_),
          since_(other.since_) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (slots_ != nullptr) slots_->release(party_, is_quick_, since_);
    }

   private:
    WebhookSlots* slots_ = nullptr;
    WebhookParty party_;
    bool is_quick_ = false;  // counted as a quick host's
    Clock::time_point since_;
  };

  // Calls `on_delay` with the reason if it waits for longer than a second.
  Task<Permit> acquire(WebhookParty party, std::function<void(std::string)> on_delay);

 private:
  struct Waiter;
  using Owners = std::map<std::string, Owner>;

  Owners::iterator owner_of(const WebhookParty& party);
  bool may_take(const Owner& owner, const Host& host) const;
  std::string why_not(const Owner& owner, const Host& host) const;
  void take(Owner& owner, Host& host);
  void release(const WebhookParty& party, bool is_quick, Clock::time_point since);
  void give_out();
  void forget_idle();

  asio::any_io_executor executor_;
  Limits limits_;
  std::size_t held_count_ = 0;
  std::size_t slow_count_ = 0;  // of these, of hosts that are not known to be quick
  std::uint64_t ticket_ = 0;
  std::size_t host_count_ = 0;
  Owners owners_;  // anonymous ones by host
};

}  // namespace weir::server
