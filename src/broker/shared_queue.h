// SPDX-License-Identifier: Apache-2.0
// SharedQueue: decides which consumer of a shared subscription gets which delivery, and when it
// gets it again.
//
//   admit --> ready ------next()------> in flight --acknowledged--> settle()
//               ^  ^                       |
//   blocked ----+  +--- delayed <----------+ nack, deadline, consumer gone
//   behind its key
//
// Guarantees: no delivery is in flight to two consumers. Among deliveries that may go out, the
// lowest number goes first. Deliveries with one key go out one after the other, in the order of
// their numbers: the next only when the one before is settled. Consumers with credit take turns;
// the one with the fewest deliveries in flight comes first. A consumer that let a deadline pass
// comes last, and has at most one delivery in flight until it answers for one.
//
// Costs about 200 bytes for each delivery that is admitted and not settled, and O(log n) a step.
// A pure state machine: no clock, no events. Single-threaded.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/instant.h"

namespace weir::broker {

class SharedQueue {
 public:
  using ConsumerId = std::uint64_t;
  struct Options {
    base::Duration acknowledge_within = base::Duration::seconds(30);
    std::size_t in_flight_max = 1000;        // of one consumer
    std::size_t waiting_count_max = 10'000;  // admitted and not in flight
  };
  // A delivery as it is admitted.
  struct Delivery {
    std::uint64_t number = 0;
    std::optional<std::uint64_t> key = {};  // equal keys stay in order; nullopt: in none
    bool was_sent = false;                  // perhaps, before it was admitted
  };
  // A delivery that goes out.
  struct Offer {
    ConsumerId consumer = 0;
    std::uint64_t number = 0;
    bool redelivered = false;
  };

  explicit SharedQueue(Options options) : options_(options) {}

  // Requires an id that is not there.
  void add_consumer(ConsumerId id);
  // Returns what it had in flight, which goes out again at once.
  std::vector<std::uint64_t> remove_consumer(ConsumerId id);
  void add_credit(ConsumerId id, std::uint64_t count);

  // Whether a consumer waits, nothing is ready, and there is room to admit more.
  bool wants_more() const;
  // Requires a higher number than all before.
  void admit(const Delivery& delivery);
  // The next delivery to go out, in flight from now on; nullopt if none can.
  std::optional<Offer> next(base::Instant now);

  // Returns the consumer that has the delivery in flight; nullopt if none has.
  std::optional<ConsumerId> holder(std::uint64_t number) const;
  // How often it went out.
  std::uint64_t attempt_count(std::uint64_t number) const;
  // It is done with: acknowledged, dropped or gone. Its key is free for the next.
  void settle(std::uint64_t number);
  // The same for all numbers up to this one.
  void settle_through(std::uint64_t number);
  // Its consumer does not want it: it goes out again, not before this instant; nullopt: at once.
  void give_back(std::uint64_t number, std::optional<base::Instant> not_before);
  // Looks at the time. Returns what was in flight too long, which goes out again at once.
  std::vector<std::uint64_t> time_out(base::Instant now);
  // When to look at the time again: after the instant of the last look; nullopt: never.
  std::optional<base::Instant> next_wake() const;

  std::size_t consumer_count() const { return consumers_.size(); }
  std::size_t in_flight_count() const { return deadlines_.size(); }
  std::size_t waiting_count() const { return entries_.size() - deadlines_.size(); }
  // About, for all deliveries that are admitted.
  std::size_t memory_bytes() const { return entries_.size() * kEntryBytes; }

 private:
  static constexpr std::size_t kEntryBytes = 240;

  enum class State : std::uint8_t { kReady, kBlocked, kDelayed, kInFlight };
  struct Entry {
    State state = State::kReady;
    std::optional<std::uint64_t> key;
    bool was_sent = false;
    std::uint64_t attempt_count = 0;
    ConsumerId consumer = 0;  // in flight
    base::Instant due;        // in flight: its deadline; delayed: when it is ready
  };
  // The order in which consumers are served.
  struct Rank {
    bool timed_out = false;
    std::size_t in_flight_count = 0;
    std::uint64_t served_at = 0;
    ConsumerId id = 0;

    auto operator<=>(const Rank&) const = default;
  };
  struct Consumer {
    std::uint64_t credit = 0;
    std::set<std::uint64_t> in_flight = {};
    bool timed_out = false;  // and has answered for nothing since
    std::uint64_t served_at = 0;
    std::optional<Rank> rank = {};  // in ranks_, if it can take a delivery
  };
  using Entries = std::map<std::uint64_t, Entry>;
  using Timers = std::set<std::pair<base::Instant, std::uint64_t>>;

  void leave_state(std::uint64_t number, Entry& entry);
  void make_ready(std::uint64_t number, Entry& entry);
  void delay(std::uint64_t number, Entry& entry, base::Instant not_before);
  void end_delays(base::Instant now);
  Entries::iterator erase(Entries::iterator entry);
  void rank(ConsumerId id, Consumer& consumer);

  Options options_;
  Entries entries_;
  std::set<std::uint64_t> ready_;
  Timers delayed_;
  Timers deadlines_;                                                 // of all that is in flight
  std::unordered_map<std::uint64_t, std::set<std::uint64_t>> keys_;  // numbers; the first may go
  std::map<ConsumerId, Consumer> consumers_;
  std::set<Rank> ranks_;
  std::uint64_t offer_count_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace weir::broker
