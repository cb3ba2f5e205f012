// SPDX-License-Identifier: Apache-2.0
// Writes one change of the registry into its tables, within the transaction that is under way.
#pragma once

#include "base/result.h"
#include "store/database.h"
#include "store/registry.h"

namespace weir::store {

base::Result<void> write_change(Database& database, const RegistryChange& change);

}  // namespace weir::store
