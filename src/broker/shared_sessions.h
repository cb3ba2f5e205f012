// SPDX-License-Identifier: Apache-2.0
// SharedSessions: the sessions of consumers that share a subscription. Gives each delivery of the
// outbox to one of them, as SharedQueue decides, and takes their answers.
//
// Single-threaded: on the thread of the subscription's shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "broker/consumers.h"
#include "broker/delivery.h"
#include "broker/grants.h"
#include "broker/outbox.h"
#include "broker/shared_queue.h"
#include "event/event.h"
#include "filter/ast.h"

namespace weir::broker {

class ShardSession;

// What shared sessions need of the shard that holds their subscription.
class SharedHost {
 public:
  virtual ~SharedHost() = default;
  // Null if the log has lost it.
  virtual event::EventPtr event_of(std::uint64_t sequence) = 0;
  // The events of a delivery for this reader. Nullopt if it cannot be delivered: then it is
  // settled.
  virtual base::Result<std::optional<Dispatch>> load(const OutboxEntry& entry,
                                                     const Grants& reader) = 0;
  virtual void on_dispatched(const std::vector<Dispatch>& dispatches) = 0;
  // The delivery is settled for good.
  virtual void acknowledge(std::uint64_t number) = 0;
  virtual base::Result<void> bury(const OutboxEntry& entry, std::string reason) = 0;
};

class SharedSessions {
 public:
  struct Context {
    Outbox& outbox;
    SharedHost& host;
    std::size_t dispatch_count_max = 0;  // in one turn
    std::uint64_t hash_seed = 0;
  };
  using Sessions = std::map<SharedQueue::ConsumerId, std::shared_ptr<ShardSession>>;

  SharedSessions(const SharedConsumers& consumers, Context context);

  void add(const std::shared_ptr<ShardSession>& session);
  // What it had in flight goes to another one.
  void remove(const ShardSession& session);
  const Sessions& sessions() const { return sessions_; }
  void add_credit(const ShardSession& session, std::uint64_t count);

  // Hands out what can go out now, as far as one turn goes. Returns whether there may be more.
  base::Result<bool> pump(base::Instant now);

  struct Answered {
    std::vector<std::uint64_t> counted = {};      // were in flight
    std::vector<std::uint64_t> passed_over = {};  // were not
  };
  // From a session it counts for what that session has; null: for what any session has.
  Answered answer(const Answer& answer, const ShardSession* from, base::Instant now);

  // Returns how many deliveries were not answered in time.
  std::size_t time_out(base::Instant now);
  std::optional<base::Instant> next_wake() const { return queue_.next_wake(); }

  std::size_t in_flight_count() const { return queue_.in_flight_count(); }
  std::size_t memory_bytes() const { return queue_.memory_bytes(); }

 private:
  // What consumers get in one turn.
  struct Turn {
    std::size_t step_count = 0;  // deliveries looked at
    std::size_t bytes = 0;
    std::map<SharedQueue::ConsumerId, std::vector<Dispatch>> dispatches = {};
  };

  bool admit(Turn& turn);
  std::optional<std::uint64_t> order_key(const OutboxEntry& entry);
  base::Result<void> hand_out(const SharedQueue::Offer& offer, Turn& turn);
  base::Result<std::optional<Dispatch>> load(const SharedQueue::Offer& offer);
  void dispatch(Turn& turn);

  Context context_;
  SharedQueue queue_;
  std::optional<std::uint64_t> attempt_count_max_;
  std::vector<filter::Operand> by_;  // empty: deliveries are in no order
  Sessions sessions_;
  SharedQueue::ConsumerId last_consumer_ = 0;
};

}  // namespace weir::broker
