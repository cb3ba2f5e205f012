// SPDX-License-Identifier: Apache-2.0
#include "store/registry_schema.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "store/checkpoint_table.h"
#include "store/registry_sum.h"
#include "store/registry_tables.h"

namespace weir::store {
namespace {

// Rows of `meta` that every registry has, besides the sum of its content.
constexpr std::array kMetaNames = {"checkpoint_sequence", "identity", "last_subscription_number",
                                   "log_sequence", "transaction_number"};

// Before version 3 a cursor did not tell acknowledged deliveries from lost ones.
constexpr const char* kCursorsFromVersion2 = R"sql(
ALTER TABLE cursors RENAME COLUMN acknowledged TO settled_through;
ALTER TABLE cursors ADD COLUMN settled_beyond BLOB NOT NULL DEFAULT x'';
ALTER TABLE cursors ADD COLUMN acknowledged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursors ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursors ADD COLUMN expired INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursors ADD COLUMN conflated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursors ADD COLUMN dead_letters INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursors ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
UPDATE cursors SET acknowledged = settled_through;
)sql";

// A write-ahead log that a long reader has made longer is cut to this; to nothing at the end.
constexpr std::int64_t kLogBytesKept = std::int64_t{64} << 20U;

constexpr int kLockTriesMax = 500;
constexpr std::chrono::milliseconds kLockPause(10);

base::Error version_error(const Database& database, const std::string& found) {
  return {base::ErrorId::kStoreVersion,
          fmt::format("{}: {}; expected a registry of version {}", database.file(), found,
                      kRegistryVersion),
          {}};
}

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
  return database.execute(fmt::format(
      "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = {}",
      kLogBytesKept));
}

// Tables in place of those of an earlier version, whose rows they get; triggers, and the sum.
base::Result<void> make_tables(Database& database) {
  for (const RegistryTableInfo& table : registry_tables()) {
    const auto there = database.query_integer(fmt::format(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '{}'", table.name));
    if (!there) return there.error();
    std::string sql = create_statement(table);
    if (*there != 0) {
      sql = fmt::format(
          "ALTER TABLE {0} RENAME TO old_{0}; {1};"
          " INSERT INTO {0} SELECT {2}, {3} FROM old_{0}; DROP TABLE old_{0}",
          table.name, sql, table.columns, checksum_of_row(table));
    }
    if (auto made = database.execute(sql); !made) return made;
  }
  for (const char* const name : kMetaNames) {
    const auto put = database.execute(fmt::format(
        "INSERT OR IGNORE INTO meta VALUES ('{0}', 0, row_checksum('meta', '{0}', 0))", name));
    if (!put) return put;
  }
  if (auto summed = create_registry_sum(database); !summed) return summed;
  return database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                      kRegistryApplicationId, kRegistryVersion));
}

base::Result<void> create_tables(Database& database) {
  auto transaction = Transaction::begin(database, Transaction::Kind::kWrite);
  if (!transaction) return transaction.error();
  // Another process may have been faster.
  const auto version = version_of(database);
  if (!version) return version.error();
  if (*version != 0) return {};
  if (auto made = make_tables(database); !made) return made;
  if (auto committed = transaction->commit(); !committed) return committed;
  // From now on the file tells its version, also to who reads it without its write-ahead log.
  return database.execute("PRAGMA wal_checkpoint(PASSIVE)");
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

base::Result<void> drop_triggers(Database& database) {
  std::vector<std::string> names;
  {
    auto query = database.query("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    if (!query) return query.error();
    while (true) {
      const auto there = query->step();
      if (!there) return there.error();
      if (!*there) break;
      names.push_back(query->column_text(0));
    }
  }
  for (const std::string& name : names) {
    if (auto dropped = database.execute(fmt::format("DROP TRIGGER {}", name)); !dropped) {
      return dropped;
    }
  }
  return {};
}

// Within a transaction. In version 1 a checkpoint was one piece.
base::Result<void> upgrade_from(Database& database, std::int64_t version) {
  if (auto dropped = drop_triggers(database); !dropped) return dropped;
  std::vector<CheckpointRow> whole;
  if (version == 1) {
    auto rows = read_whole_checkpoints(database);
    if (!rows) return rows.error();
    whole = *std::move(rows);
    if (auto dropped = database.execute("DROP TABLE checkpoints"); !dropped) return dropped;
  }
  if (version < 3) {
    if (auto made = database.execute(kCursorsFromVersion2); !made) return made;
  }
  if (auto made = make_tables(database); !made) return made;
  for (const CheckpointRow& row : whole) {
    if (auto written = write_checkpoint(database, row); !written) return written;
  }
  return {};
}

base::Result<void> upgrade_at_once(Database& database) {
  auto transaction = Transaction::begin(database, Transaction::Kind::kWrite);
  if (!transaction) return transaction.error();
  // Another process may have been faster.
  const auto version = version_of(database);
  if (!version) return version.error();
  if (*version == kRegistryVersion) return {};
  if (auto upgraded = upgrade_from(database, *version); !upgraded) return upgraded;
  return transaction->commit();
}

// References stand as they are, and no row goes with another, while tables are replaced.
base::Result<void> upgrade(Database& database) {
  const auto begun = database.execute("PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON");
  if (!begun) return begun.error();
  const auto upgraded = upgrade_at_once(database);
  const auto ended = database.execute("PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON");
  return upgraded ? ended : upgraded;
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

base::Result<void> check_rows(Database& database) {
  std::optional<base::Error> first;
  const auto equal = check_registry_sum(database, [&](const CheckedRows& row) {
    if (!first) first = row.damage();
  });
  if (!equal) return equal.error();
  if (first) return *std::move(first);
  if (*equal) return {};
  return base::Error{
      base::ErrorId::kStoreMismatch,
      fmt::format(
          "{0}: rows are missing or old: {0} and {0}-wal are of different times, or "
          "damaged. Copy both again while no broker runs, or restore a backup; weir doctor tells "
          "more, weir doctor --repair goes on with what there is",
          database.file()),
      {}};
}

base::Result<void> check_meta(Database& database) {
  for (const char* const name : kMetaNames) {
    const auto count =
        database.query_integer(fmt::format("SELECT count(*) FROM meta WHERE name = '{}'", name));
    if (!count) return count.error();
    if (*count != 1) return damaged(database, fmt::format("table meta has no row '{}'", name));
  }
  return {};
}

// Tables and triggers must be as this program makes them: SQLite keeps their text unchecked.
base::Result<void> check_schema(Database& database) {
  std::map<std::string, std::string> expected;
  for (const RegistryTableInfo& table : registry_tables()) {
    expected.emplace(table.name, create_statement(table));
  }
  for (const SumTrigger& trigger : sum_triggers()) expected.emplace(trigger.name, trigger.sql);
  auto query = database.query("SELECT name, sql FROM sqlite_schema");
  if (!query) return query.error();
  while (true) {
    const auto there = query->step();
    if (!there) return there.error();
    if (!*there) break;
    const auto found = expected.find(query->column_text(0));
    if (found != expected.end() && found->second == query->column_text(1)) expected.erase(found);
  }
  if (expected.empty()) return {};
  return damaged(database, fmt::format("the schema of '{}' is not as it was written",
                                       expected.begin()->first));
}

base::Result<void> check_integrity(Database& database) {
  const auto found = database.query_text("PRAGMA integrity_check(1)");
  if (!found) return found.error();
  if (*found != "ok") return damaged(database, *found);
  return check_last_page(database);
}

base::Result<void> check_at_once(Database& database) {
  const auto snapshot = Transaction::begin(database, Transaction::Kind::kRead);
  if (!snapshot) return snapshot.error();
  return check_registry(database);
}

}  // namespace

base::Result<std::int64_t> registry_version(Database& database) { return version_of(database); }

base::Result<std::int64_t> registry_version_at_once(Database& database) {
  const auto snapshot = Transaction::begin(database, Transaction::Kind::kRead);
  if (!snapshot) return snapshot.error();
  return version_of(database);
}

base::Result<void> check_structure(Database& database) {
  const auto version = version_of(database);
  if (!version) return version.error();
  if (auto checked = check_integrity(database); !checked) return checked;
  if (*version != kRegistryVersion) return {};
  if (auto checked = check_schema(database); !checked) return checked;
  return check_meta(database);
}

base::Result<void> check_registry(Database& database) {
  if (auto checked = check_structure(database); !checked) return checked;
  const auto version = version_of(database);
  if (!version) return version.error();
  return *version == kRegistryVersion ? check_rows(database) : base::Result<void>();
}

base::Result<void> prepare_registry(Database& database) {
  const auto version = registry_version_at_once(database);
  if (!version) return version.error();
  const auto logged = use_write_ahead_log(database);
  if (!logged) return logged.error();
  if (*version == 0) return create_tables(database);
  auto checked = check_at_once(database);
  if (!checked || *version == kRegistryVersion) return checked;
  return upgrade(database);
}

}  // namespace weir::store
