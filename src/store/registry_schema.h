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
constexpr std::int64_t kRegistryVersion = 2;

// A registry of version 1, whose checkpoints were not cut into chunks, is made one of this version.
// Several processes may do so at once.
base::Result<void> prepare_registry(Database& database);

}  // namespace weir::store
