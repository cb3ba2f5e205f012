// SPDX-License-Identifier: Apache-2.0
// BrokerOptions: everything about a broker that can be set, with its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/instant.h"
#include "broker/broker_clock.h"
#include "broker/definition.h"
#include "broker/grants.h"
#include "broker/match_note.h"
#include "broker/system_clocks.h"
#include "engine/engine.h"
#include "store/event_log.h"
#include "store/file_system.h"

namespace weir::broker {

struct BrokerOptions {
  std::filesystem::path directory;  // made if need be; one process at a time
  // How long to wait for another process to leave it: one that was killed takes a moment to end.
  base::Duration lock_patience = base::Duration::seconds(5);
  std::size_t shard_count = 1;
  store::LogOptions log = {};
  engine::EngineOptions engine = {};  // its dedup_window is not looked at
  // Events with the source and id of one accepted less than this long ago are dropped.
  std::optional<base::Duration> dedup_window = base::Duration::seconds(120);
  std::size_t dedup_key_count_max = 10'000'000;
  double dedup_false_positives = 0;  // 0: identities are told apart for certain

  std::size_t publish_event_count_max = 10'000;  // in one request
  // Bytes of events in the log that one owner may have; 0: no limit.
  std::uint64_t log_bytes_per_owner_max = 0;
  // All memory that is counted; 0: half of what the machine has, or the control group.
  std::size_t memory_bytes_max = 0;
  // The part of it that the filters of one owner may use; 0: a quarter.
  std::size_t memory_per_owner_bytes_max = 0;
  // Memory of all outboxes; an owner has at most half of it. 0: an eighth of memory_bytes_max.
  std::size_t outbox_bytes_max = 0;
  // Memory of deliveries on their way to consumers and sinks; likewise.
  std::size_t transit_bytes_max = 0;
  // Memory of events that wait to be written; an owner has at most three quarters of it.
  std::size_t publish_queue_bytes_max = std::size_t{128} << 20U;
  std::size_t shard_queue_event_count_max = 50'000;             // waiting to be matched
  std::size_t shard_queue_bytes_max = std::size_t{256} << 20U;  // memory of these events
  // How long events that wait are matched when the broker stops; the next start does the rest.
  base::Duration stop_grace = base::Duration::seconds(2);
  // Of whoever has no token, and of what they subscribed to; nothing: there is no such.
  std::optional<Grants> anonymous_grants = Grants::all();
  std::size_t subscription_count_max = 100'000;
  std::size_t subscriptions_per_owner_max = 20'000;
  DefinitionLimits definition = {};
  std::size_t dispatch_count_max = 256;                         // in one on_dispatch()
  std::size_t dead_letter_count_max = 1000;                     // kept of a subscription
  std::size_t recent_bytes_max = std::size_t{64} << 20U;        // events kept in memory
  std::size_t note_bytes_max = MatchNoteWriter::kNoteBytesMax;  // longer notes are split
  std::uint64_t checkpoint_event_count = 200'000;               // replayed at most, about
  base::Duration checkpoint_interval = base::Duration::seconds(15);
  base::Duration retention_interval = base::Duration::seconds(5);  // between looks at the log
  // Between looks whether another process has changed the tokens.
  base::Duration token_look_interval = base::Duration::milliseconds(200);

  std::function<ClockReading()> clocks = system_clocks;
  store::FileSystem* files = &store::posix_file_system();

  base::Instant wall_now() const { return clocks().wall; }
};

}  // namespace weir::broker
