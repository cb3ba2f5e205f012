// SPDX-License-Identifier: Apache-2.0
// BrokerStats: what a broker has counted since it was opened, and how it stands now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/instant.h"

namespace weir::broker {

// Bytes of memory, or of the log, in use under one name.
struct MemoryUse {
  std::string name;  // of a part of the broker, or of an owner
  std::uint64_t bytes = 0;

  bool operator==(const MemoryUse&) const = default;
};

struct BrokerStats {
  // Events, since open().
  std::uint64_t received = 0;
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t rejected = 0;         // invalid or not granted
  std::uint64_t unavailable = 0;      // refused because the log could not be written
  std::uint64_t refused_busy = 0;     // requests refused because too much waited to be written
  std::uint64_t refused_blocked = 0;  // requests refused because a blocking outbox was full
  std::uint64_t commits = 0;
  std::uint64_t commit_failures = 0;
  std::uint64_t commit_nanoseconds = 0;  // in all commits together

  // Deliveries, since open().
  std::uint64_t matched = 0;
  std::uint64_t dispatched = 0;
  std::uint64_t redelivered = 0;
  // Settled deliveries of the subscriptions there are, also those settled before open().
  std::uint64_t acknowledged = 0;
  std::uint64_t dropped = 0;
  std::uint64_t conflated = 0;
  std::uint64_t expired = 0;   // gone from the log before they were acknowledged
  std::uint64_t withheld = 0;  // no longer covered by the grants of their reader
  std::uint64_t buried = 0;    // made dead letters

  // Deliveries, events and filters, since open().
  std::uint64_t nacked = 0;                   // shared: given back by consumers
  std::uint64_t timed_out = 0;                // shared: not answered in time
  std::uint64_t transit_waits = 0;            // consumers waited for memory
  std::uint64_t window_hits = 0;              // dropped by distinct clauses
  std::uint64_t window_refuted_hits = 0;      // of those that verify: the log did not confirm it
  std::uint64_t window_overflow = 0;          // let through because a window had no room
  std::uint64_t match_candidates = 0;         // conjunctions of filters that events led to
  std::uint64_t match_signature_rejects = 0;  // of these, stopped by their signature
  std::uint64_t match_verified = 0;           // looked at in full
  std::uint64_t match_matches = 0;            // that hold
  std::uint64_t match_moves = 0;              // moved to where events lead less often
  std::uint64_t match_placements = 0;         // how often such a move of all was begun
  std::uint64_t text_scanned = 0;             // entries read in the index of text predicates
  std::uint64_t text_verified = 0;            // of these, text predicates that were added up
  std::uint64_t text_matched = 0;             // of these, those that were found
  std::uint64_t change_readings = 0;          // of change filters that share what they remember
  std::uint64_t change_quiet = 0;             // of these, how many nobody was told of
  std::uint64_t change_fired = 0;             // subscriptions that were told of one
  std::uint64_t work_steps = 0;               // of work that budgets limit
  std::uint64_t over_budget = 0;              // events, for each owner they were too costly for
  std::uint64_t dedup_forgotten = 0;  // accepted events not remembered as long as they should
  std::uint64_t registry_failures = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t token_read_failures = 0;
  std::uint64_t clock_steps_forward = 0;  // of the wall clock
  std::uint64_t clock_steps_back = 0;
  base::Duration clock_last_step = {};  // below 0: back

  // Now.
  std::uint64_t subscriptions_durable = 0;
  std::uint64_t subscriptions_ephemeral = 0;
  std::uint64_t sessions = 0;
  std::uint64_t pending = 0;    // deliveries in all outboxes
  std::uint64_t in_flight = 0;  // of these, those that consumers share and have
  std::uint64_t blocking = 0;   // full outboxes that block publishers
  std::uint64_t publish_queue_bytes = 0;
  std::uint64_t window_keys = 0;         // remembered by all distinct clauses
  std::uint64_t window_bytes = 0;        // of memory for that
  std::uint64_t text_filters = 0;        // text predicates in their index
  std::uint64_t text_bytes = 0;          // of memory for it
  std::uint64_t match_conjunctions = 0;  // of filters, in their index
  std::uint64_t match_unindexed = 0;     // of these, tried on every event
  std::uint64_t match_always = 0;        // of these, such that hold for every event
  std::uint64_t matcher_bytes = 0;       // of memory for the index of filters
  std::uint64_t change_sources = 0;      // keys of change filters that share what they remember
  std::uint64_t change_pieces = 0;       // neighbours by threshold with one history
  std::uint64_t change_bytes = 0;        // of memory for that
  std::uint64_t dedup_keys = 0;          // events remembered at ingest
  std::uint64_t dedup_bytes = 0;
  std::uint64_t shard_queue_events = 0;
  std::uint64_t shard_queue_bytes = 0;  // of memory for them
  std::vector<MemoryUse> memory_by_part = {};
  std::vector<MemoryUse> memory_by_owner = {};  // those that hold most
  std::vector<MemoryUse> log_by_owner = {};     // bytes of events in the log, the same
  std::string registry_failure = {};            // why the last write failed that did
  base::Duration clock_offset = {};             // broker time less the wall clock
  std::uint64_t log_bytes = 0;
  std::uint64_t log_first_sequence = 0;
  std::uint64_t log_next_sequence = 0;

  // At open().
  std::uint64_t recovered_torn_bytes = 0;
  std::uint64_t recovered_events = 0;  // read again
  std::uint64_t recovered_deliveries = 0;
  std::uint64_t recovered_skipped = 0;  // events that ended several starts
};

}  // namespace weir::broker
