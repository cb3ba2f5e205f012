// SPDX-License-Identifier: Apache-2.0
// Simulator: runs thousands of protocol::Nodes in one thread, in virtual time, from one random
// seed.
//
// The same seed and the same calls give the same effects; equal hashes show that two runs were
// equal. A crashed member receives nothing and is not woken. It restarts with its state and its
// listened slots, or as a new node with the same address.
//
//   Simulator sim({.seed = 7}, make_node);
//   for (int i = 0; i < 100; ++i) sim.add();
//   sim.run_until({Duration::seconds(60).nanoseconds});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/prng.h"
#include "protocol/cost.h"
#include "protocol/node.h"
#include "runtime/sim/event_queue.h"
#include "runtime/sim/network.h"
#include "runtime/sim/skewed_clock.h"

namespace weir::runtime::sim {

struct SimulatorOptions {
  std::uint64_t seed = 1;
  LinkOptions link;
};

// Sees every event, for traces.
class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // A member receives a message or a command of its user.
  virtual void on_hear(base::Instant at, protocol::NodeId node, protocol::NodeId source,
                       std::string_view message) = 0;
  virtual void on_effect(base::Instant at, protocol::NodeId node,
                         const protocol::Effect& effect) = 0;
  virtual void on_crash(base::Instant at, protocol::NodeId node) = 0;
  virtual void on_restart(base::Instant at, protocol::NodeId node, bool keeps_state) = 0;
};

class Simulator {
 public:
  // Makes a node, for a new member or for one that restarts without state.
  using Factory =
      std::function<std::unique_ptr<protocol::Node>(protocol::NodeId node, std::uint64_t seed)>;
  using DeliverObserver =
      std::function<void(base::Instant at, protocol::NodeId node, const protocol::Deliver& what)>;

  Simulator(const SimulatorOptions& options, Factory factory);

  // Adds a member and wakes it now. Addresses are 1, 2, 3 and so on.
  protocol::NodeId add();
  void crash(protocol::NodeId node);
  void restart(protocol::NodeId node, bool keeps_state);
  // From now on the member takes this time for each message, one after another.
  void set_slowness(protocol::NodeId node, base::Duration slowness);
  // Sets the member's clock this much ahead of the simulator's.
  void set_clock_offset(protocol::NodeId node, base::Duration offset);
  // From now on the member's clock gains parts per million, or loses them if negative.
  void set_clock_drift(protocol::NodeId node, std::int64_t parts_per_million);

  // Gives a command of the member's user now.
  void tell(protocol::NodeId node, std::string_view message);
  // Runs an action of the scenario at an instant.
  void at(base::Instant instant, std::function<void()> action);
  void on_deliver(DeliverObserver observer) { deliver_observer_ = std::move(observer); }
  // Must outlive the simulator, or be replaced.
  void watch(Observer* observer) { observer_ = observer; }

  // Runs all events up to and including this instant.
  void run_until(base::Instant instant);

  base::Instant now() const { return now_; }
  Network& network() { return network_; }
  const protocol::CostTable& costs() const { return costs_; }
  std::uint64_t hash() const { return hash_; }
  std::uint64_t message_count() const { return message_count_; }  // arrived messages
  std::size_t node_count() const { return members_.size(); }
  bool is_up(protocol::NodeId node) const { return member(node).is_up; }
  protocol::Node& node(protocol::NodeId node) { return *member(node).node; }

 private:
  struct Arrival {
    protocol::NodeId source;
    std::string bytes;
  };
  struct Member {
    std::unique_ptr<protocol::Node> node;
    bool is_up = false;
    bool is_awake = false;  // woken since its start
    SkewedClock clock;
    std::optional<base::Instant> wake_reading;  // wanted wake, by its own clock
    std::optional<base::Instant> queued_wake;   // its earliest wake in the queue
    base::Duration slowness;
    bool is_busy = false;        // a slow member handles a message
    std::list<Arrival> waiting;  // messages for a busy member
  };
  enum class EventKind : std::uint8_t { kArrival, kWake, kDone, kAction };
  struct Event {
    EventKind kind = EventKind::kArrival;
    protocol::NodeId node;
    protocol::NodeId source;   // for an arrival
    std::uint64_t action = 0;  // number of an action
    std::string bytes;         // for an arrival
  };

  Member& member(protocol::NodeId node);
  const Member& member(protocol::NodeId node) const;
  void wake_now(protocol::NodeId node);
  void queue_wake(protocol::NodeId node);
  void happen(Event event);
  void act(std::uint64_t number);
  void wake_if_due(protocol::NodeId node);
  void wake(protocol::NodeId node);
  void arrive(protocol::NodeId node, Arrival arrival);
  void work(protocol::NodeId node, const Arrival& arrival);
  void done(protocol::NodeId node);
  void hear(protocol::NodeId node, protocol::NodeId source, std::string_view bytes);
  void carry_out(protocol::NodeId node);
  void carry_out(protocol::NodeId node, protocol::Send& send);
  void carry_out(protocol::NodeId node, protocol::Route& route);
  void carry_out(protocol::NodeId node, protocol::Multicast& multicast);
  void carry_out(protocol::NodeId node, const protocol::Listen& listen);
  void carry_out(protocol::NodeId node, const protocol::Deliver& deliver);
  void carry_out(protocol::NodeId node, const protocol::WakeAt& wake);
  void carry_out(protocol::NodeId node, const protocol::Drop& drop);
  // Moves the bytes into the last copy.
  void transmit(protocol::NodeId from, protocol::NodeId to, std::string bytes);
  void mix(std::uint64_t number);
  void mix(std::string_view bytes);

  base::Prng prng_;
  Factory factory_;
  Network network_;
  std::vector<Member> members_;
  EventQueue<Event> queue_;
  std::unordered_map<std::uint64_t, std::function<void()>> actions_;
  std::uint64_t next_action_ = 0;
  base::Instant now_;
  protocol::Effects effects_;
  std::vector<base::Instant> arrivals_;
  std::vector<std::set<protocol::NodeId>> listeners_;  // by slot
  protocol::CostTable costs_;
  DeliverObserver deliver_observer_;
  Observer* observer_ = nullptr;
  std::uint64_t hash_ = 0;
  std::uint64_t message_count_ = 0;
};

}  // namespace weir::runtime::sim
