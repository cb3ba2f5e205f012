// SPDX-License-Identifier: Apache-2.0
#include "store/registry_changes.h"

#include <variant>

#include "store/checkpoint_table.h"

namespace weir::store {
namespace {

using base::Result;

// INSERT ... SELECT leaves out the row of a subscription that is not there; the tables lose their
// rows together with the subscription, by a cascade.

Result<void> write(Database& database, const SubscriptionRow& row) {
  auto put = database.query(
      "INSERT INTO subscriptions (number, id, owner, definition, created_ns, since_sequence)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
      " ON CONFLICT (number) DO UPDATE SET id = ?2, owner = ?3, definition = ?4, created_ns = ?5,"
      " since_sequence = ?6");
  if (!put) return put.error();
  put->number(row.number).text(row.id).text(row.owner).text(row.definition);
  const auto done = put->integer(row.created.nanoseconds).number(row.since_sequence).run();
  if (!done) return done.error();
  auto raise = database.query(
      "UPDATE meta SET value = max(value, ?1) WHERE name = 'last_subscription_number'");
  if (!raise) return raise.error();
  return raise->number(row.number).run();
}

Result<void> write(Database& database, const CursorRow& row) {
  auto put = database.query(
      "INSERT INTO cursors (subscription, acknowledged, scan_sequence)"
      " SELECT number, ?2, ?3 FROM subscriptions WHERE number = ?1"
      " ON CONFLICT (subscription) DO UPDATE SET acknowledged = ?2, scan_sequence = ?3");
  if (!put) return put.error();
  return put->number(row.subscription).number(row.acknowledged).number(row.scan_sequence).run();
}

Result<void> write(Database& database, const CheckpointRow& row) {
  return write_checkpoint(database, row);
}

Result<void> write(Database& database, const DeadLetterRow& row) {
  auto put = database.query(
      "INSERT INTO dead_letters (subscription, delivery, at_ns, reason, events)"
      " SELECT number, ?2, ?3, ?4, ?5 FROM subscriptions WHERE number = ?1"
      " ON CONFLICT (subscription, delivery)"
      " DO UPDATE SET at_ns = ?3, reason = ?4, events = ?5");
  if (!put) return put.error();
  put->number(row.subscription).number(row.delivery).integer(row.at.nanoseconds);
  return put->text(row.reason).text(row.events).run();
}

Result<void> write(Database& database, const RemoveSubscription& row) {
  auto remove = database.query("DELETE FROM subscriptions WHERE number = ?1");
  if (!remove) return remove.error();
  return remove->number(row.number).run();
}

Result<void> write(Database& database, const RemoveCheckpoint& row) {
  return remove_checkpoint(database, row.subscription);
}

Result<void> write(Database& database, const RemoveDeadLetter& row) {
  auto remove =
      database.query("DELETE FROM dead_letters WHERE subscription = ?1 AND delivery = ?2");
  if (!remove) return remove.error();
  return remove->number(row.subscription).number(row.delivery).run();
}

Result<void> write(Database& database, const CheckpointMark& mark) {
  auto set = database.query("UPDATE meta SET value = ?1 WHERE name = 'checkpoint_sequence'");
  if (!set) return set.error();
  return set->number(mark.sequence).run();
}

Result<void> write(Database& database, const SharedState& shared) {
  auto put = database.query(
      "INSERT INTO shared_states (name, state) VALUES (?1, ?2)"
      " ON CONFLICT (name) DO UPDATE SET state = ?2");
  if (!put) return put.error();
  return put->text(shared.name).blob(shared.state).run();
}

}  // namespace

Result<void> write_change(Database& database, const RegistryChange& change) {
  return std::visit([&](const auto& row) { return write(database, row); }, change);
}

}  // namespace weir::store
