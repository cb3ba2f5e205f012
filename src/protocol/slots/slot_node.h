// SPDX-License-Identifier: Apache-2.0
// SlotNode: a member of a cluster in which every member knows all others, and each of the 1 024
// slots of the ring has an owner among them: the home of its keys.
//
// Members tell each other by heartbeats that they are there, and what they take for the active
// members. Owners follow from these alone (membership.h), so nobody is asked. Who comes listens to
// its slots before it says that it is active; who leaves listens until it has handed its items
// over.
//
// A member is settled when its view has not changed for a lease and two heartbeats, and all active
// members told it of the same view. Once faults have ended, two settled members never both own a
// slot: one of them would have heard of the other's view, or have missed it for a lease. While the
// network is divided, each part has its own owners.
//
// The hosted application's messages to homes go in envelopes: one copy is on its way to a home at
// any time, goes on from a member that knows of another owner, and is recognised if it was
// repeated. They are lost with the owner until its lease has ended.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "protocol/application.h"
#include "protocol/node.h"
#include "protocol/placement.h"
#include "protocol/slots/hand_over.h"
#include "protocol/slots/membership.h"
#include "protocol/slots/options.h"
#include "protocol/slots/recent_arrivals.h"

namespace weir::protocol::slots {

class SlotNode final : public Node, public Placement {
 public:
  SlotNode(const SlotOptions& options, std::uint64_t seed,
           std::unique_ptr<Application> application);

  void on_message(base::Instant now, NodeId source, std::string_view message,
                  Effects& effects) override;
  void on_wake(base::Instant now, Effects& effects) override;

  NodeId self() const override { return options_.self; }
  bool is_home(Key key) const override { return is_settled_ && owns(slot_of(key)); }
  // Members by name, from the key's owner on, are the places of a binary heap: a member's next one
  // is its parent there, and its distance its depth.
  std::optional<NodeId> towards(Key key) const override;
  std::uint64_t distance_to(Key key) const override;

  const Membership& members() const { return members_; }
  Application& application() { return *application_; }

 private:
  struct Turn {
    base::Instant now;
    Effects& effects;
  };

  // Life as a member.
  void begin(const Turn& turn);
  void tick(const Turn& turn);
  void leave(const Turn& turn);
  void end_leaving(const Turn& turn);
  bool may_end_leaving(base::Instant now) const;
  MemberState state() const { return me().state; }
  Member& me() { return *members_.find(options_.self); }
  const Member& me() const { return *members_.find(options_.self); }
  std::string next_heartbeat();
  void tell_all(const Turn& turn);

  // What is known of the others.
  void look(const Turn& turn);
  void judge(const Turn& turn, bool is_changed);
  void go_on_handing_over(const Turn& turn);
  void follow_owners(const Turn& turn);
  void tell_user(const Turn& turn) const;
  bool owns(std::uint32_t slot) const { return members_.owner(slot) == options_.self; }
  std::optional<std::uint64_t> heap_place(Key key) const;

  void on_own_protocol(const Turn& turn, NodeId source, OpenMessage& message);
  void on_command(const Turn& turn, Kind kind);
  void on_heartbeat(const Turn& turn, NodeId source, const Heartbeat& heartbeat);
  void on_items(const Turn& turn, NodeId source, const Items& items);
  void on_taken(const Turn& turn, NodeId source, Taken taken);

  // The hosted application; slot_node_hosting.cc.
  using Call = std::function<void(const Application::Step& step)>;
  void let_application(const Turn& turn, const Call& call);
  void carry_out(const Turn& turn, Effect& effect);
  void set_out(const Turn& turn, Route& route);
  void set_out(const Turn& turn, Multicast& multicast);
  Envelope new_envelope(std::string message);
  void on_envelope(const Turn& turn, const Envelope& envelope);
  void pass_on(const Turn& turn, const Envelope& envelope);
  void arrive(const Turn& turn, Envelope& envelope);
  bool is_first_arrival(const Envelope& envelope, std::uint32_t slot);
  void end_turn(const Turn& turn);

  SlotOptions options_;
  base::Prng prng_;
  std::unique_ptr<Application> application_;
  Membership members_;
  HandOver hand_over_;
  RecentArrivals recent_;
  bool has_begun_ = false;
  bool is_settled_ = false;
  SlotSet listened_;
  std::deque<Envelope> arrivals_;  // at this member, within a turn
  std::uint64_t envelope_number_ = 0;
  base::Instant next_beat_;
  base::Instant active_at_;      // of one that joins
  base::Instant leaving_since_;  // of one that leaves
  base::Instant unsettled_at_;   // when the view last changed, or somebody had another one
  std::optional<base::Instant> application_wake_;
  std::optional<base::Instant> asked_wake_;  // the last WakeAt
};

}  // namespace weir::protocol::slots
