// SPDX-License-Identifier: Apache-2.0
#include "store/registry.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include "store/checkpoint_table.h"
#include "store/database.h"
#include "store/registry_changes.h"
#include "store/registry_schema.h"

namespace weir::store {
namespace {

using base::Instant;
using base::Result;

// The largest integer of SQLite.
constexpr std::uint64_t kIntegerMax = std::numeric_limits<std::int64_t>::max();

// Appends what `read` makes of each row to come.
template <typename Row, typename Read>
Result<void> read_rows(Statement& query, Read read, std::vector<Row>& rows) {
  while (true) {
    const auto there = query.step();
    if (!there) return there.error();
    if (!*there) return {};
    rows.push_back(read(query));
  }
}

template <typename Row, typename Read>
Result<void> read_table(Database& database, std::string_view sql, Read read,
                        std::vector<Row>& rows) {
  auto query = database.query(sql);
  if (!query) return query.error();
  return read_rows(*query, read, rows);
}

SubscriptionRow read_subscription(const Statement& row) {
  return {.number = row.column_number(0),
          .id = row.column_text(1),
          .owner = row.column_text(2),
          .definition = row.column_text(3),
          .created = Instant{row.column_integer(4)},
          .since_sequence = row.column_number(5)};
}

CursorRow read_cursor(const Statement& row) {
  return {.subscription = row.column_number(0),
          .acknowledged = row.column_number(1),
          .scan_sequence = row.column_number(2)};
}

SharedState read_shared_state(const Statement& row) {
  return {.name = row.column_text(0), .state = row.column_text(1)};
}

DeadLetterRow read_dead_letter(const Statement& row) {
  return {.subscription = row.column_number(0),
          .delivery = row.column_number(1),
          .at = Instant{row.column_integer(2)},
          .reason = row.column_text(3),
          .events = row.column_text(4)};
}

TokenRow read_token(const Statement& row) {
  TokenRow token{.name = row.column_text(0),
                 .lookup = row.column_text(1),
                 .hash = row.column_text(2),
                 .grants = row.column_text(3),
                 .created = Instant{row.column_integer(4)},
                 .revoked = row.column_integer(6) != 0};
  if (!row.column_is_null(5)) token.expires = Instant{row.column_integer(5)};
  return token;
}

Result<void> read_contents(Database& database, RegistryContents& contents) {
  const auto subscriptions = read_table(
      database,
      "SELECT number, id, owner, definition, created_ns, since_sequence FROM subscriptions"
      " ORDER BY number",
      read_subscription, contents.subscriptions);
  if (!subscriptions) return subscriptions.error();
  const auto cursors = read_table(
      database,
      "SELECT subscription, acknowledged, scan_sequence FROM cursors ORDER BY subscription",
      read_cursor, contents.cursors);
  if (!cursors) return cursors.error();
  auto checkpoints = read_checkpoints(database);
  if (!checkpoints) return checkpoints.error();
  contents.checkpoints = std::move(*checkpoints);
  return read_table(database, "SELECT name, state FROM shared_states ORDER BY name",
                    read_shared_state, contents.shared_states);
}

Result<void> read_meta(Database& database, RegistryContents& contents) {
  const auto sequence =
      database.query_integer("SELECT value FROM meta WHERE name = 'checkpoint_sequence'");
  if (!sequence) return sequence.error();
  const auto number =
      database.query_integer("SELECT value FROM meta WHERE name = 'last_subscription_number'");
  if (!number) return number.error();
  contents.checkpoint_sequence = static_cast<std::uint64_t>(*sequence);
  contents.last_subscription_number = static_cast<std::uint64_t>(*number);
  return {};
}

class SqliteRegistry final : public Registry {
 public:
  explicit SqliteRegistry(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Result<void> apply(std::span<const RegistryChange> changes) override {
    if (changes.empty()) return {};
    const std::lock_guard lock(mutex_);
    auto transaction = Transaction::begin(*database_, Transaction::Kind::kWrite);
    if (!transaction) return transaction.error();
    for (const RegistryChange& change : changes) {
      const auto written = write_change(*database_, change);
      if (!written) return written.error();
    }
    return transaction->commit();
  }

  Result<RegistryContents> contents() override {
    const std::lock_guard lock(mutex_);
    const auto snapshot = Transaction::begin(*database_, Transaction::Kind::kRead);
    if (!snapshot) return snapshot.error();
    RegistryContents contents;
    const auto rows = read_contents(*database_, contents);
    if (!rows) return rows.error();
    const auto meta = read_meta(*database_, contents);
    if (!meta) return meta.error();
    return contents;
  }

  Result<void> add_token(const TokenRow& token) override {
    const std::lock_guard lock(mutex_);
    auto add = database_->query(
        "INSERT INTO tokens (name, lookup, hash, grants, created_ns, revoked, expires_ns)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    if (!add) return add.error();
    add->text(token.name).text(token.lookup).text(token.hash).text(token.grants);
    add->integer(token.created.nanoseconds).integer(token.revoked ? 1 : 0);
    if (token.expires) {
      add->integer(token.expires->nanoseconds);
    } else {
      add->null();
    }
    return add->run();
  }

  Result<bool> revoke_token(std::string_view name) override {
    const std::lock_guard lock(mutex_);
    auto revoke = database_->query("UPDATE tokens SET revoked = 1 WHERE name = ?1");
    if (!revoke) return revoke.error();
    const auto done = revoke->text(name).run();
    if (!done) return done.error();
    return database_->changed_count() > 0;
  }

  Result<std::vector<TokenRow>> tokens() override {
    const std::lock_guard lock(mutex_);
    std::vector<TokenRow> rows;
    const auto read =
        read_table(*database_,
                   "SELECT name, lookup, hash, grants, created_ns, expires_ns, revoked FROM tokens"
                   " ORDER BY name",
                   read_token, rows);
    if (!read) return read.error();
    return rows;
  }

  Result<std::vector<DeadLetterRow>> dead_letters(std::uint64_t subscription,
                                                  std::uint64_t after_delivery,
                                                  std::size_t count_max) override {
    const std::lock_guard lock(mutex_);
    auto query = database_->query(
        "SELECT subscription, delivery, at_ns, reason, events FROM dead_letters"
        " WHERE subscription = ?1 AND delivery > ?2 ORDER BY delivery LIMIT ?3");
    if (!query) return query.error();
    query->number(subscription).number(std::min(after_delivery, kIntegerMax));
    query->number(std::min<std::uint64_t>(count_max, kIntegerMax));
    std::vector<DeadLetterRow> rows;
    const auto read = read_rows(*query, read_dead_letter, rows);
    if (!read) return read.error();
    return rows;
  }

  Result<std::uint64_t> dead_letter_count(std::uint64_t subscription) override {
    const std::lock_guard lock(mutex_);
    auto query = database_->query("SELECT count(*) FROM dead_letters WHERE subscription = ?1");
    if (!query) return query.error();
    const auto there = query->number(subscription).step();
    if (!there) return there.error();
    return query->column_number(0);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Database> database_;
};

}  // namespace

Result<std::unique_ptr<Registry>> Registry::open(const std::filesystem::path& file) {
  auto database = Database::open(file, {});
  if (!database) return database.error();
  const auto prepared = prepare_registry(**database);
  if (!prepared) return prepared.error();
  return std::make_unique<SqliteRegistry>(std::move(*database));
}

}  // namespace weir::store
