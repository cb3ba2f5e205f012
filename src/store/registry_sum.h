// SPDX-License-Identifier: Apache-2.0
// The sum of the checksums of the registry's rows, kept by triggers: rows that are missing, or of
// another time, do not add up to it.
//
// SQLite checks pages one by one. When the database and its write-ahead log are copied at different
// times, pages of different ages come together, each of them valid: a subscription may be missing
// without a trace. Every transaction writes `meta`, so the sum is as new as the newest page, and
// older rows do not add up to it. The rows of `meta` are in no sum: all of them must be there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "store/registry_tables.h"

namespace weir::store {

struct SumTrigger {
  std::string name;
  std::string sql;  // as SQLite keeps it
};
const std::vector<SumTrigger>& sum_triggers();

// Makes the triggers, and the sum of the rows that are there.
base::Result<void> create_registry_sum(Database& database);

// Verifies each row of each table, hands the damaged ones on, and tells whether all of them add up
// to the sum. Requires a transaction, if others may write.
using DamagedRow = std::function<void(const CheckedRows& row)>;
base::Result<bool> check_registry_sum(Database& database, const DamagedRow& on_damage);

}  // namespace weir::store
