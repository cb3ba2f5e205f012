// SPDX-License-Identifier: Apache-2.0
// SlotNode: a member of a cluster in which every member knows all others, and each of the 1 024
// slots of the ring has an owner among them: the home of its keys.
//
// Heartbeats tell the members that the sender is there, and which members it believes to be active.
// Owners follow from the active members alone (membership.h), so no member asks for them. A member
// that joins listens to its slots before it says that it is active; a member that leaves listens
// until it has handed over its items.
//
// A member is settled when its view has not changed for a lease and two heartbeats, and all active
// members told it of the same view. Once faults have ended, two settled members never both own a
// slot: one of them would have heard of the other's view, or have missed it for a lease. While the
// network is divided, each part has its own owners.
//
// Messages of the application travel in envelopes (router.h). They are lost with their owner until
// its lease has ended.
//
// Parts. A call is a Turn; each message goes to the part that has a handler for it:
//
//   Membership  members and owners      HandOver  items to their homes
//   Router      messages to homes
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/prng.h"
#include "protocol/application.h"
#include "protocol/hosted_application.h"
#include "protocol/node.h"
#include "protocol/placement.h"
#include "protocol/slots/hand_over.h"
#include "protocol/slots/membership.h"
#include "protocol/slots/options.h"
#include "protocol/slots/router.h"
#include "protocol/turn.h"

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
  // The members, ordered by name from the key's owner on, form a binary heap. The next member on
  // the way is the parent there, and the distance is the depth.
  std::optional<NodeId> towards(Key key) const override;
  std::uint64_t distance_to(Key key) const override;

  const Membership& members() const { return members_; }
  Application& application() { return application_.get(); }

 private:
  void begin(const Turn& turn);
  void tick(const Turn& turn);
  void end_leaving(const Turn& turn);
  bool may_end_leaving(base::Instant now) const;
  MemberState state() const { return me().state; }
  Member& me() { return *members_.find(options_.self); }
  const Member& me() const { return *members_.find(options_.self); }
  Heartbeat next_heartbeat();
  void tell_all(const Turn& turn);

  // Updates the view, the listened slots and whether this member is settled.
  void update_view(const Turn& turn);
  void update_settled(const Turn& turn, bool is_changed);
  void go_on_handing_over(const Turn& turn);
  void listen_to_own_slots(const Turn& turn);
  void tell_user(const Turn& turn) const;
  bool owns(std::uint32_t slot) const { return members_.owner(slot) == options_.self; }
  std::optional<std::uint64_t> heap_place(Key key) const;

  void on_own_protocol(const Turn& turn, NodeId source, const OpenMessage& message);
  template <typename Message>
  void hear(const Turn& turn, NodeId source, const Message& message);
  void obey(const Turn& turn, const Leave& command);
  void obey(const Turn& turn, const Show& command);
  void on(const Turn& turn, NodeId source, const Heartbeat& heartbeat);
  void on(const Turn& turn, NodeId source, const Items& items);
  void on(const Turn& turn, NodeId source, const Taken& taken);

  // Calls the application and carries out its effects.
  template <typename Call>
  void let_application(const Turn& turn, const Call& call);
  void end_turn(const Turn& turn);

  SlotOptions options_;
  base::Prng prng_;
  HostedApplication application_;
  Membership members_;
  HandOver hand_over_;
  Router router_;
  bool has_begun_ = false;
  bool is_settled_ = false;
  SlotSet listened_;
  base::Instant next_beat_;
  base::Instant active_at_;  // a joining member becomes active
  base::Instant leaving_since_;
  base::Instant unsettled_at_;               // the view changed, or another member's view differed
  std::optional<base::Instant> asked_wake_;  // the last WakeAt
};

}  // namespace weir::protocol::slots
