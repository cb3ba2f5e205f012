// SPDX-License-Identifier: Apache-2.0
// Writes one change of the registry into its tables, within the transaction that is under way.
#pragma once

#include "base/result.h"
#include "store/database.h"
#include "store/registry.h"
#include "store/registry_numbers.h"

namespace weir::store {

base::Result<void> write_change(Database& database, const RegistryChange& change);

// The tables that it changes, without those whose rows go with a subscription.
TableSet changed_tables(const RegistryChange& change);

}  // namespace weir::store
