// SPDX-License-Identifier: Apache-2.0
// RegistryTransaction: a transaction of the registry that has a number (store/registry_numbers.h).
//
// Rolled back unless it was committed.
#pragma once

#include <utility>

#include "base/result.h"
#include "store/database.h"
#include "store/registry_numbers.h"

namespace weir::store {

class RegistryTransaction {
 public:
  static base::Result<RegistryTransaction> begin(Database& database, RegistryNumbers& numbers);

  // Durable when it returns, and so is its number. After an error it may be durable or not.
  base::Result<void> commit(TableSet changed);

 private:
  RegistryTransaction(Database& database, RegistryNumbers& numbers, Transaction transaction)
      : database_(&database), numbers_(&numbers), transaction_(std::move(transaction)) {}

  Database* database_;
  RegistryNumbers* numbers_;
  Transaction transaction_;
};

// The number of the last transaction.
base::Result<std::uint64_t> last_transaction_number(Database& database);

}  // namespace weir::store
