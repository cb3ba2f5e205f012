// SPDX-License-Identifier: Apache-2.0
// The registry's tables by name, and their rows as they are read: each one verified.
//
// Every row ends with its `checksum` (store/row_checksum.h). A row that is not as it was written is
// kStoreCorrupt, which names the file, the table and the key.
//
//   auto rows = CheckedRows::select(database, RegistryTable::kTokens, "ORDER BY name");
//   if (!rows) return rows.error();
//   while (true) {
//     const auto there = rows->next();
//     if (!there) return there.error();
//     if (!*there) break;
//     use(rows->row().column_text(0));
//   }
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/database.h"

namespace weir::store {

enum class RegistryTable : std::uint8_t {
  kMeta,
  kTokens,
  kTokenSecrets,
  kSubscriptions,
  kSinkSecrets,
  kReplays,
  kCursors,
  kCheckpoints,
  kCheckpointChunks,
  kSharedStates,
  kDeadLetters,
};

struct RegistryTableInfo {
  std::string_view name;
  std::string_view columns;  // all but the checksum, in their order, the key first
  int column_count = 0;
  int key_count = 1;             // columns of the key
  std::string_view definitions;  // of the columns and constraints, for CREATE TABLE
  std::string_view options = "STRICT";
};

// In the order of RegistryTable.
inline constexpr std::size_t kRegistryTableCount = 11;
const std::array<RegistryTableInfo, kRegistryTableCount>& registry_tables();
const RegistryTableInfo& info(RegistryTable table);

// The statement that makes the table, as SQLite keeps it.
std::string create_statement(const RegistryTableInfo& table);
// The checksum of a row that is there, as an expression.
std::string checksum_of_row(const RegistryTableInfo& table);

class CheckedRows {
 public:
  // All columns of the rows that the rest of the statement selects, in their order.
  static base::Result<CheckedRows> select(Database& database, RegistryTable table,
                                          std::string_view rest);

  // For the values of the rest, before the first row.
  Statement& values() { return statement_; }
  // True: there is a row, and it is sound.
  base::Result<bool> next();
  // The same for who wants the damaged ones too: `bad` tells of the row that is there.
  base::Result<bool> next(bool& bad);
  const Statement& row() const { return statement_; }
  std::int64_t checksum() const;  // as the row has it
  // The key of the row that is there, as "subscription 7, delivery 3".
  std::string key() const;
  // The error that tells of the row that is there.
  base::Error damage() const;

 private:
  CheckedRows(const Database& database, const RegistryTableInfo& table, Statement statement)
      : database_(&database), table_(&table), statement_(std::move(statement)) {}

  const Database* database_;
  const RegistryTableInfo* table_;
  Statement statement_;
};

}  // namespace weir::store
