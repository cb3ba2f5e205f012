// SPDX-License-Identifier: Apache-2.0
#include "store/registry_tables.h"

#include <fmt/format.h>

#include <utility>

namespace weir::store {
namespace {

constexpr std::array<RegistryTableInfo, kRegistryTableCount> kTables = {{
    {.name = "meta",
     .columns = "name, value",
     .column_count = 2,
     .definitions = "name TEXT PRIMARY KEY, value INTEGER NOT NULL, checksum INTEGER NOT NULL",
     .options = "STRICT, WITHOUT ROWID"},
    {.name = "tokens",
     .columns = "name, lookup, hash, grants, created_ns, expires_ns, revoked",
     .column_count = 7,
     .definitions = "name TEXT PRIMARY KEY, lookup TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,"
                    " grants TEXT NOT NULL, created_ns INTEGER NOT NULL, expires_ns INTEGER,"
                    " revoked INTEGER NOT NULL CHECK (revoked IN (0, 1)),"
                    " checksum INTEGER NOT NULL",
     .options = "STRICT, WITHOUT ROWID"},
    {.name = "token_secrets",
     .columns = "lookup, name, hash, until_ns",
     .column_count = 4,
     .definitions = "lookup TEXT PRIMARY KEY,"
                    " name TEXT NOT NULL REFERENCES tokens ON DELETE CASCADE, hash TEXT NOT NULL,"
                    " until_ns INTEGER NOT NULL, checksum INTEGER NOT NULL",
     .options = "STRICT, WITHOUT ROWID"},
    {.name = "subscriptions",
     .columns = "number, id, owner, definition, created_ns, since_sequence",
     .column_count = 6,
     .definitions = "number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,"
                    " definition TEXT NOT NULL, created_ns INTEGER NOT NULL,"
                    " since_sequence INTEGER NOT NULL, checksum INTEGER NOT NULL"},
    {.name = "sink_secrets",
     .columns = "subscription, secrets",
     .column_count = 2,
     .definitions = "subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,"
                    " secrets TEXT NOT NULL, checksum INTEGER NOT NULL"},
    {.name = "replays",
     .columns = "subscription, next_sequence, last_delivery, skipped, state",
     .column_count = 5,
     .definitions = "subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,"
                    " next_sequence INTEGER NOT NULL, last_delivery INTEGER NOT NULL,"
                    " skipped INTEGER NOT NULL, state BLOB NOT NULL, checksum INTEGER NOT NULL"},
    {.name = "cursors",
     .columns = "subscription, settled_through, settled_beyond, scan_sequence, acknowledged,"
                " dropped, expired, conflated, dead_letters, withheld",
     .column_count = 10,
     .definitions = "subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,"
                    " settled_through INTEGER NOT NULL, settled_beyond BLOB NOT NULL,"
                    " scan_sequence INTEGER NOT NULL, acknowledged INTEGER NOT NULL,"
                    " dropped INTEGER NOT NULL, expired INTEGER NOT NULL,"
                    " conflated INTEGER NOT NULL, dead_letters INTEGER NOT NULL,"
                    " withheld INTEGER NOT NULL, checksum INTEGER NOT NULL"},
    {.name = "checkpoints",
     .columns = "subscription, chunks",
     .column_count = 2,
     .definitions = "subscription INTEGER PRIMARY KEY REFERENCES subscriptions ON DELETE CASCADE,"
                    " chunks BLOB NOT NULL, checksum INTEGER NOT NULL"},
    {.name = "checkpoint_chunks",
     .columns = "subscription, name, bytes",
     .column_count = 3,
     .key_count = 2,
     .definitions = "subscription INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,"
                    " name BLOB NOT NULL, bytes BLOB NOT NULL, checksum INTEGER NOT NULL,"
                    " PRIMARY KEY (subscription, name)"},
    {.name = "shared_states",
     .columns = "name, state",
     .column_count = 2,
     .definitions = "name TEXT PRIMARY KEY, state BLOB NOT NULL, checksum INTEGER NOT NULL"},
    {.name = "dead_letters",
     .columns = "subscription, delivery, at_ns, reason, events",
     .column_count = 5,
     .key_count = 2,
     .definitions = "subscription INTEGER NOT NULL REFERENCES subscriptions ON DELETE CASCADE,"
                    " delivery INTEGER NOT NULL, at_ns INTEGER NOT NULL, reason TEXT NOT NULL,"
                    " events TEXT NOT NULL, checksum INTEGER NOT NULL,"
                    " PRIMARY KEY (subscription, delivery)"},
}};

// The columns' names up to the first that is none of the key.
std::string_view column_name(const RegistryTableInfo& table, int index) {
  std::string_view rest = table.columns;
  for (int i = 0; i < index; ++i) rest.remove_prefix(rest.find(", ") + 2);
  return rest.substr(0, rest.find(','));
}

bool is_printable(std::string_view text) {
  for (const char byte : text) {
    if (static_cast<unsigned char>(byte) < 0x20 || static_cast<unsigned char>(byte) > 0x7e) {
      return false;
    }
  }
  return true;
}

}  // namespace

const std::array<RegistryTableInfo, kRegistryTableCount>& registry_tables() { return kTables; }

const RegistryTableInfo& info(RegistryTable table) {
  return kTables.at(static_cast<std::size_t>(table));
}

std::string create_statement(const RegistryTableInfo& table) {
  return fmt::format("CREATE TABLE {} ({}) {}", table.name, table.definitions, table.options);
}

std::string checksum_of_row(const RegistryTableInfo& table) {
  return fmt::format("row_checksum('{}', {})", table.name, table.columns);
}

base::Result<CheckedRows> CheckedRows::select(Database& database, RegistryTable table,
                                              std::string_view rest) {
  const RegistryTableInfo& found = info(table);
  auto statement = database.query(fmt::format("SELECT {}, checksum, {} FROM {} {}", found.columns,
                                              checksum_of_row(found), found.name, rest));
  if (!statement) return statement.error();
  return CheckedRows(database, found, *std::move(statement));
}

base::Result<bool> CheckedRows::next() {
  bool bad = false;
  auto there = next(bad);
  if (there && bad) return damage();
  return there;
}

base::Result<bool> CheckedRows::next(bool& bad) {
  auto there = statement_.step();
  bad = there && *there && checksum() != statement_.column_integer(table_->column_count + 1);
  return there;
}

std::int64_t CheckedRows::checksum() const {
  return statement_.column_integer(table_->column_count);
}

std::string CheckedRows::key() const {
  std::string text;
  for (int i = 0; i < table_->key_count; ++i) {
    const std::string value = statement_.column_text(i);
    if (i > 0) text += ", ";
    text += fmt::format("{} {}", column_name(*table_, i),
                        is_printable(value) ? value : fmt::format("of {} bytes", value.size()));
  }
  return text;
}

base::Error CheckedRows::damage() const {
  return {base::ErrorId::kStoreCorrupt,
          fmt::format("{}: table {}, {}: the row is not as it was written", database_->file(),
                      table_->name, key()),
          std::nullopt};
}

}  // namespace weir::store
