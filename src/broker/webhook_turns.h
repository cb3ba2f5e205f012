// SPDX-License-Identifier: Apache-2.0
// WebhookTurns decides whose request to a sink is next, so that hosts that hang delay each other
// and nobody else.
//
//   ask() --> waits --next()--> a turn --end()--> over
//
// A host is new, quick or slow. A new host has one turn at a time. A turn of a new or quick host is
// short: whoever sends must give up after `quick_time`, and the host is slow from then on. Only
// slow hosts have turns as long as the timeouts allow. They have three eighths of the slots, new
// hosts as many, and quick hosts all that are free. Shares hold for all slots and for those of one
// owner. So a slot that slow hosts may not have is free again within `quick_time`, however many
// hosts hang: a host that answers has its first turn within
//
//   quick_time * (2 + new hosts of the owner that came before it / three eighths of its slots)
//
// and is quick from then on. A slow host becomes quick again by answering within `quick_time`: once
// after its first hang, three times after its second, seven times after its third, and so on, so
// that a host cannot answer and hang in turns.
//
// The owner with the fewest turns under way is next, and of its hosts the one that has used the
// least time lately, times its debt. An owner with a token always may have one turn, whatever the
// others do. Anonymous subscriptions have no owner in common: each of their hosts is an owner.
//
// Costs O(log n) a step in the hosts of an owner, and O(n) in the owners. A pure state machine: no
// clock. Single-threaded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "base/instant.h"

namespace weir::broker {

// Whom a request is sent for, and where to.
struct WebhookParty {
  std::string owner;  // empty: anonymous
  std::string host;   // with its port
};

class WebhookTurns {
 public:
  struct Limits {
    std::size_t count = 0;  // but for the one that every owner has
    std::size_t per_owner = 0;
    std::size_t per_host = 0;  // of one owner
    base::Duration quick_time = base::Duration::seconds(1);
  };
  enum class Pace : std::uint8_t { kNew, kQuick, kSlow };
  using Ticket = std::uint64_t;
  struct Turn {
    Ticket ticket = 0;
    Pace pace = Pace::kNew;
  };

  explicit WebhookTurns(Limits limits) : limits_(limits) {}

  Ticket ask(const WebhookParty& party);
  // Requires that it waits.
  void withdraw(Ticket ticket);
  // The next turn, which has begun; nullopt if nobody may have one.
  std::optional<Turn> next(base::Instant now);
  // Requires a turn that has begun. `is_answered`: the host has answered or refused the connection.
  void end(Ticket ticket, bool is_answered, base::Instant now);

  // Why it waits, for people.
  std::string why_waits(Ticket ticket) const;
  std::size_t held_count() const { return all_.held_count; }
  std::size_t slow_count() const { return all_.slow_count; }

 private:
  struct Owner;
  struct Host;
  // Of all, or of an owner.
  struct Counts {
    std::size_t held_count = 0;
    std::size_t new_count = 0;
    std::size_t slow_count = 0;
  };
  // A host that has somebody waiting and room for another turn; the lowest is next.
  using Candidate = std::tuple<double, Ticket, Host*>;
  static constexpr std::size_t kPaceCount = 3;

  struct Host {
    Owner* owner = nullptr;
    std::size_t held_count = 0;
    bool is_known = false;
    std::uint32_t hang_count = 0;    // forgotten after many prompt answers in a row
    std::uint32_t debt = 0;          // prompt answers until it is quick
    std::uint32_t prompt_count = 0;  // in a row
    // log2 of the seconds used, halved every minute, as of minute 0.
    double effort = -std::numeric_limits<double>::infinity();
    std::deque<Ticket> waiting = {};
    std::optional<Candidate> candidate = {};
    Pace candidate_pace = Pace::kNew;

    Pace pace() const { return debt > 0 ? Pace::kSlow : is_known ? Pace::kQuick : Pace::kNew; }
  };
  struct Owner {
    bool is_anonymous = false;
    Counts counts = {};
    std::array<std::set<Candidate>, kPaceCount> candidates = {};
    std::map<std::string, Host> hosts = {};
  };
  struct Place {
    Host* host = nullptr;
    Pace pace = Pace::kNew;
    std::optional<base::Instant> since = {};  // nullopt: it waits
  };

  static bool has_room(const Counts& counts, std::size_t limit, Pace pace);
  bool may_have(const Owner& owner, Pace pace) const;
  std::size_t host_limit(const Host& host) const;
  void list(Host& host);
  void begin(Host& host, Ticket ticket, base::Instant now);
  static void learn(Host& host, bool is_prompt, bool is_answered);
  void forget_idle();

  Limits limits_;
  Counts all_;
  Ticket last_ticket_ = 0;
  std::size_t host_count_ = 0;
  std::size_t tidy_at_ = 4096;           // hosts there may be before the idle ones are forgotten
  std::map<std::string, Owner> owners_;  // anonymous ones by host
  std::map<Ticket, Place> places_;
};

}  // namespace weir::broker
