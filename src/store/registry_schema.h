// SPDX-License-Identifier: Apache-2.0
// The registry's tables: makes them in a new database, and refuses a database that is damaged
// (kStoreCorrupt) or of another version or program (kStoreVersion). docs/formats/registry.md tells
// what they hold.
//
// Costs a read of the whole file, to check it.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "store/database.h"

namespace weir::store {

constexpr std::int64_t kRegistryApplicationId = 0x57656972;  // "Weir"
constexpr std::int64_t kRegistryVersion = 4;

// Its version, 0 if there is nothing in it yet. kStoreVersion if it is of another program or of a
// later version.
base::Result<std::int64_t> registry_version(Database& database);
// The same, from one state of the file: another process may be making the tables.
base::Result<std::int64_t> registry_version_at_once(Database& database);

// Fails with kStoreCorrupt if a page, the schema or a row is damaged, and with kStoreMismatch if
// rows are missing or of another time. Requires a transaction, if others may write.
base::Result<void> check_registry(Database& database);
// The same without the rows.
base::Result<void> check_structure(Database& database);

// Upgrades a registry of an earlier version. Several processes may do so at once.
base::Result<void> prepare_registry(Database& database);

}  // namespace weir::store
