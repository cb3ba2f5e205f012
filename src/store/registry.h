// SPDX-License-Identifier: Apache-2.0
// Registry: what the broker knows besides its events: tokens, subscriptions, cursors, checkpoints
// and dead letters, in one SQLite database that people can open and read.
//
// Every change is a transaction, durable when the call returns. A change list is one transaction,
// so that a hundred cursors cost one fsync. A database of another version is refused.
//
// Threads: any; calls wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace weir::store {

// A secret that a token had before it was rotated, and that is valid for a while yet.
struct FormerSecret {
  std::string lookup;  // as in TokenRow, as is the hash
  std::string hash;
  base::Instant until;  // not valid from then on

  bool operator==(const FormerSecret&) const = default;
};

struct TokenRow {
  std::string name;    // unique
  std::string lookup;  // public part of the token, by which it is found; unique
  std::string hash;    // of the secret part
  std::string grants;  // JSON
  base::Instant created;
  std::optional<base::Instant> expires = {};
  bool revoked = false;
  std::vector<FormerSecret> former = {};  // by lookup; add_token() does not look at them

  bool operator==(const TokenRow&) const = default;
};

// A new secret for a token.
struct TokenRotation {
  std::string name;
  std::string lookup;
  std::string hash;
  base::Instant now;
  base::Instant former_until;  // of the secret before; none is kept if that is not after now
};

struct SubscriptionRow {
  std::uint64_t number = 0;  // unique, never reused
  std::string id;            // unique
  std::string owner;         // the name of a token, or empty for anonymous
  std::string definition;    // JSON
  base::Instant created;
  std::uint64_t since_sequence = 0;  // the first event it may get

  bool operator==(const SubscriptionRow&) const = default;
};

// What became of deliveries that are no longer pending. Each settled delivery is in one count.
struct SettledCounts {
  std::uint64_t acknowledged = 0;  // by a consumer
  std::uint64_t dropped = 0;       // the outbox, or the list of dead letters, was full
  std::uint64_t expired = 0;       // retention removed the event first
  std::uint64_t conflated = 0;     // a newer event of the same source took its place
  std::uint64_t dead_letters = 0;  // given up and put on the list of dead letters
  std::uint64_t withheld = 0;      // the grants of its reader no longer covered it

  std::uint64_t total() const {
    return acknowledged + dropped + expired + conflated + dead_letters + withheld;
  }
  bool operator==(const SettledCounts&) const = default;
};

// How far the deliveries of a subscription are settled. Deliveries are numbered from 1 on without
// gaps, so counts.total() is settled_through plus the deliveries that settled_beyond names.
struct CursorRow {
  std::uint64_t subscription = 0;     // its number
  std::uint64_t settled_through = 0;  // every delivery up to this one is settled
  std::uint64_t scan_sequence = 0;    // no note on a pending delivery stands before this event
  std::string settled_beyond = {};    // later settled ones: see docs/formats/registry.md
  SettledCounts counts = {};

  bool operator==(const CursorRow&) const = default;
};

// The state of a stateful filter.
struct CheckpointRow {
  std::uint64_t subscription = 0;
  std::string state;

  bool operator==(const CheckpointRow&) const = default;
};

struct DeadLetterRow {
  std::uint64_t subscription = 0;
  std::uint64_t delivery = 0;
  base::Instant at;
  std::string reason;
  std::string events;  // a JSON array

  bool operator==(const DeadLetterRow&) const = default;
};

// How far a subscription has come that still reads old events.
struct ReplayRow {
  std::uint64_t subscription = 0;
  std::uint64_t next_sequence = 0;  // the event to go on with
  std::uint64_t last_delivery = 0;  // the number of the last delivery before it
  std::uint64_t skipped = 0;        // events that were gone before they were read
  std::string state = {};           // of its filter, as of that event

  bool operator==(const ReplayRow&) const = default;
};

// The subscription reads old events no more: it gets those from this sequence on as they come.
struct EndReplay {
  std::uint64_t subscription = 0;
  std::uint64_t since_sequence = 0;
};
// What requests to a subscription's sink are authorized and signed with.
struct SinkSecretsRow {
  std::uint64_t subscription = 0;
  std::string secrets;  // JSON

  bool operator==(const SinkSecretsRow&) const = default;
};

// Removes a subscription with its cursor, checkpoint and dead letters.
struct RemoveSubscription {
  std::uint64_t number = 0;
};
struct RemoveCheckpoint {
  std::uint64_t subscription = 0;
};
struct RemoveSinkSecrets {
  std::uint64_t subscription = 0;
};
struct RemoveDeadLetter {
  std::uint64_t subscription = 0;
  std::uint64_t delivery = 0;
};
// All checkpoints that are there, and all shared states, are as of this event.
struct CheckpointMark {
  std::uint64_t sequence = 0;
};
// The log had this event when the changes were made; a mark is never lowered.
struct LogMark {
  std::uint64_t sequence = 0;
};
// No subscription gets this number or one below it any more.
struct NumberMark {
  std::uint64_t number = 0;
};
// Random; the log beside the registry has the same (store/store_identity.h).
struct StoreIdentity {
  std::uint64_t identity = 0;
};
// What several filters share.
struct SharedState {
  std::string name;
  std::string state;

  bool operator==(const SharedState&) const = default;
};

// A row is put in place of one with the same number, a cursor only if it settles no less; the
// since_sequence of a subscription never falls. A cursor, checkpoint, replay or dead letter of a
// subscription that is not there is left out.
using RegistryChange =
    std::variant<SubscriptionRow, CursorRow, CheckpointRow, DeadLetterRow, ReplayRow, EndReplay,
                 RemoveSubscription, RemoveCheckpoint, RemoveDeadLetter, CheckpointMark, LogMark,
                 NumberMark, StoreIdentity, SharedState, SinkSecretsRow, RemoveSinkSecrets>;

struct RegistryContents {
  std::vector<SubscriptionRow> subscriptions;  // by number, as are the next five
  std::vector<SinkSecretsRow> sink_secrets;
  std::vector<CursorRow> cursors;
  std::vector<CheckpointRow> checkpoints;
  std::vector<ReplayRow> replays;
  std::vector<SharedState> shared_states;      // by name
  std::uint64_t checkpoint_sequence = 0;       // 0: none yet
  std::uint64_t last_subscription_number = 0;  // the highest ever given
  std::uint64_t log_sequence = 0;              // the log had this event when this was written
};

class Registry {
 public:
  // Creates the file if need be. A copy of a file that is not complete is refused with
  // kStoreCorrupt or kStoreMismatch.
  static base::Result<std::unique_ptr<Registry>> open(const std::filesystem::path& file);
  virtual ~Registry() = default;

  virtual base::Result<void> apply(std::span<const RegistryChange> changes) = 0;
  virtual base::Result<RegistryContents> contents() = 0;
  virtual base::Result<std::uint64_t> identity() = 0;  // 0: none yet

  // Fails if the name or the lookup is taken.
  virtual base::Result<void> add_token(const TokenRow& token) = 0;
  // Its former secrets are removed too. False if there is none of that name.
  virtual base::Result<bool> revoke_token(std::string_view name) = 0;
  // Puts another secret in place, and removes the former secrets of all tokens whose time is over.
  // False if there is no token of that name that is not revoked.
  virtual base::Result<bool> rotate_token(const TokenRotation& rotation) = 0;
  virtual base::Result<std::vector<TokenRow>> tokens() = 0;  // by name
  // Whether another process has written to the file since the last call, or since it was opened.
  // May be true too often. Costs a look at shared memory.
  virtual base::Result<bool> changed_by_others() = 0;

  // The oldest first, at most count_max; those after a delivery number.
  virtual base::Result<std::vector<DeadLetterRow>> dead_letters(std::uint64_t subscription,
                                                                std::uint64_t after_delivery,
                                                                std::size_t count_max) = 0;
  // Nullopt if there is none.
  virtual base::Result<std::optional<DeadLetterRow>> dead_letter(std::uint64_t subscription,
                                                                 std::uint64_t delivery) = 0;
  virtual base::Result<std::vector<std::uint64_t>> dead_letter_numbers(
      std::uint64_t subscription) = 0;  // ascending
  virtual base::Result<std::uint64_t> dead_letter_count(std::uint64_t subscription) = 0;
};

}  // namespace weir::store
