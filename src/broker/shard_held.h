// SPDX-License-Identifier: Apache-2.0
// Shard::Held: a subscription as its shard holds it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "broker/shard.h"

namespace weir::broker {

struct Shard::Held {
  Held(ShardSubscription given, Outbox box)
      : subscription(std::move(given)), outbox(std::move(box)) {}

  std::uint64_t number() const { return subscription.number; }
  bool durable() const { return subscription.durable; }

  ShardSubscription subscription;
  std::size_t slot = 0;
  std::optional<engine::SubscriptionId> engine_id;  // none: its owner may not see anything, or it
                                                    // still reads old events
  Outbox outbox;
  std::shared_ptr<ShardSession> session;     // null: nobody is connected, or they share it
  std::unique_ptr<SharedHost> shared_port;   // of what follows
  std::unique_ptr<SharedSessions> shared;    // null: consumers are exclusive
  std::optional<base::Instant> shared_wake;  // its next look at the time
  bool touched = false;
  bool waits_for_highlighting = false;
  bool stale = false;
  bool starved = false;                    // waits for memory of streams
  base::MemoryAccount::Ptr stream_memory;  // of its owner; null: nobody counts
  base::MemoryCharge definition_memory;
  base::MemoryCharge letter_memory;             // of `letters`
  bool blocking = false;                        // its outbox stops publishers
  std::optional<std::uint64_t> saved_revision;  // of the state in the registry
  std::string parked;                           // state of a filter that is not in force
  bool carried = false;       // the state was taken out of the engine, so its revision began anew
  base::Instant noted_until;  // recovery: what was due by then is in the outbox
  std::unique_ptr<Replay> replay;  // while it reads old events; then there is no engine_id
  std::unique_ptr<engine::TextAnnotator> annotator;  // made when a text is first delivered

  // The cursor: one write at a time, the newest wins.
  bool cursor_writing = false;
  std::uint64_t cursor_written = 0;  // how many deliveries are settled in the registry
  std::vector<std::pair<std::uint64_t, Done>> waiting;  // for so many to be
  std::deque<store::RegistryChange> letters;  // of dead letters, to be written with the cursor
  std::uint64_t letters_written = 0;          // how many such changes were before these
  std::set<std::uint64_t> leaving;            // dead letters whose removal is being written
  std::deque<std::uint64_t> unnoted;  // deliveries from here on wait until notes are written

  // What was counted of the outbox so far, and which losses were told.
  std::uint64_t pending_seen = 0;
  std::uint64_t in_flight_seen = 0;
  store::SettledCounts settled_seen;
  store::SettledCounts losses_told;
  bool expiry_told = false;            // that retention is about to overtake it
  match::DistinctStats window_seen;    // of the window, if there is one
  std::uint64_t over_budget_seen = 0;  // since the filter is in force
};

}  // namespace weir::broker
