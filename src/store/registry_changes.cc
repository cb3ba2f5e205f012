// SPDX-License-Identifier: Apache-2.0
#include "store/registry_changes.h"

#include <variant>

#include "store/checkpoint_table.h"

namespace weir::store {
namespace {

using base::Result;

Result<void> raise_meta(Database& database, std::string_view name, std::uint64_t value) {
  auto raise = database.query(
      "UPDATE meta SET value = max(value, ?1),"
      " checksum = row_checksum('meta', name, max(value, ?1)) WHERE name = ?2");
  if (!raise) return raise.error();
  return raise->number(value).text(name).run();
}

// INSERT ... SELECT leaves out the row of a subscription that is not there; the tables lose their
// rows together with the subscription, by a cascade.

Result<void> write(Database& database, const SubscriptionRow& row) {
  auto put = database.query(
      "INSERT INTO subscriptions"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, row_checksum('subscriptions', ?1, ?2, ?3, ?4, ?5, ?6))"
      " ON CONFLICT (number) DO UPDATE SET id = ?2, owner = ?3, definition = ?4, created_ns = ?5,"
      " since_sequence = max(since_sequence, ?6), checksum = row_checksum('subscriptions', ?1, ?2,"
      " ?3, ?4, ?5, max(since_sequence, ?6))");
  if (!put) return put.error();
  put->number(row.number).text(row.id).text(row.owner).text(row.definition);
  const auto done = put->integer(row.created.nanoseconds).number(row.since_sequence).run();
  if (!done) return done.error();
  return raise_meta(database, "last_subscription_number", row.number);
}

// What is settled stays settled: a row that comes late does not undo a later one.
Result<void> write(Database& database, const CursorRow& row) {
  auto put = database.query(
      "INSERT INTO cursors"
      " SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
      " row_checksum('cursors', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
      " FROM subscriptions WHERE number = ?1"
      " ON CONFLICT (subscription) DO UPDATE SET settled_through = ?2, settled_beyond = ?3,"
      " scan_sequence = ?4, acknowledged = ?5, dropped = ?6, expired = ?7, conflated = ?8,"
      " dead_letters = ?9, withheld = ?10, checksum = excluded.checksum"
      " WHERE acknowledged + dropped + expired + conflated + dead_letters + withheld"
      " <= ?5 + ?6 + ?7 + ?8 + ?9 + ?10");
  if (!put) return put.error();
  put->number(row.subscription).number(row.settled_through).blob(row.settled_beyond);
  put->number(row.scan_sequence).number(row.counts.acknowledged).number(row.counts.dropped);
  put->number(row.counts.expired).number(row.counts.conflated).number(row.counts.dead_letters);
  return put->number(row.counts.withheld).run();
}

Result<void> write(Database& database, const CheckpointRow& row) {
  return write_checkpoint(database, row);
}

Result<void> write(Database& database, const DeadLetterRow& row) {
  auto put = database.query(
      "INSERT INTO dead_letters"
      " SELECT number, ?2, ?3, ?4, ?5, row_checksum('dead_letters', ?1, ?2, ?3, ?4, ?5)"
      " FROM subscriptions WHERE number = ?1"
      " ON CONFLICT (subscription, delivery)"
      " DO UPDATE SET at_ns = ?3, reason = ?4, events = ?5, checksum = excluded.checksum");
  if (!put) return put.error();
  put->number(row.subscription).number(row.delivery).integer(row.at.nanoseconds);
  return put->text(row.reason).text(row.events).run();
}

Result<void> write(Database& database, const ReplayRow& row) {
  auto put = database.query(
      "INSERT INTO replays"
      " SELECT number, ?2, ?3, ?4, ?5, row_checksum('replays', ?1, ?2, ?3, ?4, ?5)"
      " FROM subscriptions WHERE number = ?1"
      " ON CONFLICT (subscription)"
      " DO UPDATE SET next_sequence = ?2, last_delivery = ?3, skipped = ?4, state = ?5,"
      " checksum = excluded.checksum");
  if (!put) return put.error();
  put->number(row.subscription).number(row.next_sequence).number(row.last_delivery);
  return put->number(row.skipped).blob(row.state).run();
}

Result<void> write(Database& database, const EndReplay& row) {
  auto raise = database.query(
      "UPDATE subscriptions SET since_sequence = max(since_sequence, ?2),"
      " checksum = row_checksum('subscriptions', number, id, owner, definition, created_ns,"
      " max(since_sequence, ?2)) WHERE number = ?1");
  if (!raise) return raise.error();
  if (auto raised = raise->number(row.subscription).number(row.since_sequence).run(); !raised) {
    return raised;
  }
  auto remove = database.query("DELETE FROM replays WHERE subscription = ?1");
  if (!remove) return remove.error();
  return remove->number(row.subscription).run();
}

Result<void> write(Database& database, const RemoveSubscription& row) {
  auto remove = database.query("DELETE FROM subscriptions WHERE number = ?1");
  if (!remove) return remove.error();
  return remove->number(row.number).run();
}

Result<void> write(Database& database, const RemoveCheckpoint& row) {
  return remove_checkpoint(database, row.subscription);
}

Result<void> write(Database& database, const SinkSecretsRow& row) {
  auto put = database.query(
      "INSERT INTO sink_secrets"
      " SELECT number, ?2, row_checksum('sink_secrets', ?1, ?2)"
      " FROM subscriptions WHERE number = ?1"
      " ON CONFLICT (subscription) DO UPDATE SET secrets = ?2, checksum = excluded.checksum");
  if (!put) return put.error();
  return put->number(row.subscription).text(row.secrets).run();
}

Result<void> write(Database& database, const RemoveSinkSecrets& row) {
  auto remove = database.query("DELETE FROM sink_secrets WHERE subscription = ?1");
  if (!remove) return remove.error();
  return remove->number(row.subscription).run();
}

Result<void> write(Database& database, const RemoveDeadLetter& row) {
  auto remove =
      database.query("DELETE FROM dead_letters WHERE subscription = ?1 AND delivery = ?2");
  if (!remove) return remove.error();
  return remove->number(row.subscription).number(row.delivery).run();
}

Result<void> write(Database& database, const CheckpointMark& mark) {
  auto set = database.query(
      "UPDATE meta SET value = ?1, checksum = row_checksum('meta', name, ?1)"
      " WHERE name = 'checkpoint_sequence'");
  if (!set) return set.error();
  return set->number(mark.sequence).run();
}

Result<void> write(Database& database, const LogMark& mark) {
  return raise_meta(database, "log_sequence", mark.sequence);
}

Result<void> write(Database& database, const NumberMark& mark) {
  return raise_meta(database, "last_subscription_number", mark.number);
}

Result<void> write(Database& database, const StoreIdentity& store) {
  return raise_meta(database, "identity", store.identity);
}

Result<void> write(Database& database, const SharedState& shared) {
  auto put = database.query(
      "INSERT INTO shared_states VALUES (?1, ?2, row_checksum('shared_states', ?1, ?2))"
      " ON CONFLICT (name) DO UPDATE SET state = ?2, checksum = excluded.checksum");
  if (!put) return put.error();
  return put->text(shared.name).blob(shared.state).run();
}

RegistryTable table_of(const SubscriptionRow&) { return RegistryTable::kSubscriptions; }
RegistryTable table_of(const CursorRow&) { return RegistryTable::kCursors; }
RegistryTable table_of(const CheckpointRow&) { return RegistryTable::kCheckpoints; }
RegistryTable table_of(const DeadLetterRow&) { return RegistryTable::kDeadLetters; }
RegistryTable table_of(const ReplayRow&) { return RegistryTable::kReplays; }
RegistryTable table_of(const EndReplay&) { return RegistryTable::kReplays; }
RegistryTable table_of(const RemoveSubscription&) { return RegistryTable::kSubscriptions; }
RegistryTable table_of(const RemoveCheckpoint&) { return RegistryTable::kCheckpoints; }
RegistryTable table_of(const RemoveDeadLetter&) { return RegistryTable::kDeadLetters; }
RegistryTable table_of(const SharedState&) { return RegistryTable::kSharedStates; }
RegistryTable table_of(const SinkSecretsRow&) { return RegistryTable::kSinkSecrets; }
RegistryTable table_of(const RemoveSinkSecrets&) { return RegistryTable::kSinkSecrets; }
template <typename Mark>
RegistryTable table_of(const Mark&) {
  return RegistryTable::kMeta;
}

}  // namespace

TableSet changed_tables(const RegistryChange& change) {
  return std::visit([](const auto& row) { return table_bit(table_of(row)); }, change);
}

Result<void> write_change(Database& database, const RegistryChange& change) {
  return std::visit([&](const auto& row) { return write(database, row); }, change);
}

}  // namespace weir::store
