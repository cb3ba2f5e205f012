// SPDX-License-Identifier: Apache-2.0
// The registry's checkpoints: each state a list of chunks, of which only new ones are written.
#pragma once

#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "store/registry.h"

namespace weir::store {

// Within the transaction that is under way; in place of the state before, and nothing if there is
// no such subscription.
base::Result<void> write_checkpoint(Database& database, const CheckpointRow& row);
base::Result<void> remove_checkpoint(Database& database, std::uint64_t subscription);

// By subscription. Fails with kStoreCorrupt if a chunk is missing.
base::Result<std::vector<CheckpointRow>> read_checkpoints(Database& database);

}  // namespace weir::store
