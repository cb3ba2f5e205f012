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

struct TokenRow {
  std::string name;    // unique
  std::string lookup;  // public part of the token, by which it is found; unique
  std::string hash;    // of the secret part
  std::string grants;  // JSON
  base::Instant created;
  std::optional<base::Instant> expires = {};
  bool revoked = false;

  bool operator==(const TokenRow&) const = default;
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

// How far a subscriber has acknowledged.
struct CursorRow {
  std::uint64_t subscription = 0;   // its number
  std::uint64_t acknowledged = 0;   // the last delivery number
  std::uint64_t scan_sequence = 0;  // no note on a later delivery stands before this event

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

// Removes a subscription with its cursor, checkpoint and dead letters.
struct RemoveSubscription {
  std::uint64_t number = 0;
};
struct RemoveCheckpoint {
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
// What several filters share.
struct SharedState {
  std::string name;
  std::string state;

  bool operator==(const SharedState&) const = default;
};

// A row is put in place of one with the same number. A cursor, checkpoint or dead letter of a
// subscription that is not there is left out.
using RegistryChange =
    std::variant<SubscriptionRow, CursorRow, CheckpointRow, DeadLetterRow, RemoveSubscription,
                 RemoveCheckpoint, RemoveDeadLetter, CheckpointMark, SharedState>;

struct RegistryContents {
  std::vector<SubscriptionRow> subscriptions;  // by number, as are the next three
  std::vector<CursorRow> cursors;
  std::vector<CheckpointRow> checkpoints;
  std::vector<SharedState> shared_states;      // by name
  std::uint64_t checkpoint_sequence = 0;       // 0: none yet
  std::uint64_t last_subscription_number = 0;  // the highest ever given
};

class Registry {
 public:
  // Creates the file if need be.
  static base::Result<std::unique_ptr<Registry>> open(const std::filesystem::path& file);
  virtual ~Registry() = default;

  virtual base::Result<void> apply(std::span<const RegistryChange> changes) = 0;
  virtual base::Result<RegistryContents> contents() = 0;

  // Fails if the name or the lookup is taken.
  virtual base::Result<void> add_token(const TokenRow& token) = 0;
  // False if there is none of that name.
  virtual base::Result<bool> revoke_token(std::string_view name) = 0;
  virtual base::Result<std::vector<TokenRow>> tokens() = 0;  // by name

  // The oldest first, at most count_max; those after a delivery number.
  virtual base::Result<std::vector<DeadLetterRow>> dead_letters(std::uint64_t subscription,
                                                                std::uint64_t after_delivery,
                                                                std::size_t count_max) = 0;
  virtual base::Result<std::uint64_t> dead_letter_count(std::uint64_t subscription) = 0;
};

}  // namespace weir::store
