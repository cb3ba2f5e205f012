// SPDX-License-Identifier: Apache-2.0
// Shard::Held: a subscription as its shard holds it.
#pragma once

#include <memory>
#include <optional>
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
  std::optional<engine::SubscriptionId> engine_id;  // none: its owner may not see anything
  Outbox outbox;
  std::shared_ptr<ShardSession> session;  // null: nobody is connected
  bool touched = false;
  bool stale = false;
  bool blocking = false;                        // its outbox stops publishers
  std::optional<std::uint64_t> saved_revision;  // of the state in the registry
  base::Instant noted_until;                    // replay: what was due by then is in the outbox

  // The cursor: one write at a time, the newest wins.
  bool cursor_writing = false;
  std::uint64_t cursor_written = 0;
  std::vector<std::pair<std::uint64_t, Done>> waiting;  // for the cursor to reach this number
  std::vector<store::DeadLetterRow> letters;            // to be written with the cursor

  // What was counted of the outbox so far.
  std::uint64_t pending_seen = 0;
  std::uint64_t dropped_seen = 0;
  std::uint64_t conflated_seen = 0;
  match::DistinctStats window_seen;  // of the window, if there is one
};

}  // namespace weir::broker
