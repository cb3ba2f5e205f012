// SPDX-License-Identifier: Apache-2.0
#include "store/registry_schema.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "store/checkpoint_table.h"

namespace weir::store {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('checkpoint_sequence', 0), ('last_subscription_number', 0);

CREATE TABLE tokens (
  name TEXT PRIMARY KEY,
  lookup TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  grants TEXT NOT NULL,
  created_ns INTEGER NOT NULL,
  expires_ns INTEGER,
  revoked INTEGER NOT NULL CHECK (revoked IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE subscriptions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner TEXT NOT NULL,
  definition TEXT NOT NULL,
  created_ns INTEGER NOT NULL,
  since_sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE cursors (
  subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
  acknowledged INTEGER NOT NULL,
  scan_sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE shared_states (
  name TEXT PRIMARY KEY,
  state BLOB NOT NULL
) STRICT;

CREATE TABLE dead_letters (
  subscription INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  delivery INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  reason TEXT NOT NULL,
  events TEXT NOT NULL,
  PRIMARY KEY (subscription, delivery)
) STRICT;
)sql";

constexpr const char* kCheckpointTables = R"sql(
CREATE TABLE checkpoints (
  subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,
  chunks BLOB NOT NULL
) STRICT;

CREATE TABLE checkpoint_chunks (
  subscription INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  name BLOB NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (subscription, name)
) STRICT;
)sql";

constexpr int kLockTriesMax = 500;
constexpr std::chrono::milliseconds kLockPause(10);

base::Error version_error(const Database& database, const std::string& found) {
  return {base::ErrorId::kStoreVersion,
          fmt::format("{}: {}; expected a registry of version {}", database.file(), found,
                      kRegistryVersion),
          {}};
}

// Its version, 0 if there is nothing in it yet; an error if it is none of ours.
base::Result<std::int64_t> version_of(Database& database) {
  const auto application = database.query_integer("PRAGMA application_id");
  if (!application) return application.error();
  const auto version = database.query_integer("PRAGMA user_version");
  if (!version) return version.error();
  const auto tables = database.query_integer("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  if (*application == 0 && *version == 0 && *tables == 0) return 0;
  if (*application != kRegistryApplicationId) {
    return version_error(database, "a database of another program");
  }
  if (*version < 1 || *version > kRegistryVersion) {
    return version_error(database, fmt::format("a registry of version {}", *version));
  }
  return *version;
}

// The same, from one state of the file: another process may be making the tables.
base::Result<std::int64_t> version_at_once(Database& database) {
  const auto snapshot = Transaction::begin(database, Transaction::Kind::kRead);
  if (!snapshot) return snapshot.error();
  return version_of(database);
}

bool is_locked(const base::Result<std::string>& result) {
  return !result && result.error().id == base::ErrorId::kStoreLocked;
}

base::Result<void> use_write_ahead_log(Database& database) {
  auto mode = database.query_text("PRAGMA journal_mode = WAL");
  // Here alone SQLite does not wait for others that do the same, lest they wait for each other.
  for (int tries = 1; is_locked(mode) && tries < kLockTriesMax; ++tries) {
    std::this_thread::sleep_for(kLockPause);
    mode = database.query_text("PRAGMA journal_mode = WAL");
  }
  if (!mode) return mode.error();
  if (*mode != "wal") {
    return base::Error{
        base::ErrorId::kStoreDatabase,
        fmt::format("{}: cannot keep a write-ahead log here, only '{}'", database.file(), *mode),
        {}};
  }
  return database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
}

base::Result<void> create_tables(Database& database) {
  auto transaction = Transaction::begin(database, Transaction::Kind::kWrite);
  if (!transaction) return transaction.error();
  // Another process may have been faster.
  const auto version = version_of(database);
  if (!version) return version.error();
  if (*version != 0) return {};
  const auto created = database.execute(
      fmt::format("{} {} PRAGMA application_id = {}; PRAGMA user_version = {}", kTables,
                  kCheckpointTables, kRegistryApplicationId, kRegistryVersion));
  if (!created) return created.error();
  return transaction->commit();
}

base::Result<std::vector<CheckpointRow>> read_whole_checkpoints(Database& database) {
  auto query = database.query("SELECT subscription, state FROM checkpoints ORDER BY subscription");
  if (!query) return query.error();
  std::vector<CheckpointRow> rows;
  while (true) {
    const auto there = query->step();
    if (!there) return there.error();
    if (!*there) return rows;
    rows.push_back({query->column_number(0), query->column_text(1)});
  }
}

base::Result<void> upgrade_from_version_1(Database& database) {
  auto transaction = Transaction::begin(database, Transaction::Kind::kWrite);
  if (!transaction) return transaction.error();
  // Another process may have been faster.
  const auto version = version_of(database);
  if (!version) return version.error();
  if (*version == kRegistryVersion) return {};
  const auto rows = read_whole_checkpoints(database);
  if (!rows) return rows.error();
  const auto made = database.execute(fmt::format(
      "DROP TABLE checkpoints; {} PRAGMA user_version = {}", kCheckpointTables, kRegistryVersion));
  if (!made) return made.error();
  for (const CheckpointRow& row : *rows) {
    if (auto written = write_checkpoint(database, row); !written) return written.error();
  }
  return transaction->commit();
}

base::Error damaged(const Database& database, std::string_view how) {
  return {base::ErrorId::kStoreCorrupt, fmt::format("{}: damaged: {}", database.file(), how), {}};
}

// SQLite fills up a page that is cut with zeros and may find nothing wrong with them. The file may
// end anywhere only as long as the write-ahead log has the pages.
base::Result<void> check_last_page(Database& database) {
  const auto page_bytes = database.query_integer("PRAGMA page_size");
  if (!page_bytes) return page_bytes.error();
  std::error_code error;
  const auto log_bytes = std::filesystem::file_size(database.file() + "-wal", error);
  if (!error && log_bytes > 0) return {};
  const auto file_bytes = std::filesystem::file_size(database.file(), error);
  if (error || file_bytes % static_cast<std::uintmax_t>(*page_bytes) == 0) return {};
  return damaged(database, "the last page is cut");
}

base::Result<void> check_integrity(Database& database) {
  const auto found = database.query_text("PRAGMA quick_check(1)");
  if (!found) return found.error();
  if (*found != "ok") return damaged(database, *found);
  return check_last_page(database);
}

}  // namespace

base::Result<void> prepare_registry(Database& database) {
  const auto version = version_at_once(database);
  if (!version) return version.error();
  const auto logged = use_write_ahead_log(database);
  if (!logged) return logged.error();
  if (*version == 0) return create_tables(database);
  auto checked = check_integrity(database);
  if (!checked || *version == kRegistryVersion) return checked;
  return upgrade_from_version_1(database);
}

}  // namespace weir::store
