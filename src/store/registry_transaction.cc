// SPDX-License-Identifier: Apache-2.0
#include "store/registry_transaction.h"

namespace weir::store {

base::Result<RegistryTransaction> RegistryTransaction::begin(Database& database,
                                                             RegistryNumbers& numbers) {
  auto transaction = Transaction::begin(database, Transaction::Kind::kWrite);
  if (!transaction) return transaction.error();
  return RegistryTransaction(database, numbers, *std::move(transaction));
}

base::Result<void> RegistryTransaction::commit(TableSet changed) {
  {
    auto raise = database_->query(
        "UPDATE meta SET value = value + 1, checksum = row_checksum('meta', name, value + 1)"
        " WHERE name = 'transaction_number'");
    if (!raise) return raise.error();
    if (auto raised = raise->run(); !raised) return raised;
  }
  const auto number = last_transaction_number(*database_);
  if (!number) return number.error();
  if (auto committed = transaction_.commit(); !committed) return committed;
  return numbers_->record(*number, changed);
}

base::Result<std::uint64_t> last_transaction_number(Database& database) {
  const auto number =
      database.query_integer("SELECT value FROM meta WHERE name = 'transaction_number'");
  if (!number) return number.error();
  return static_cast<std::uint64_t>(*number);
}

}  // namespace weir::store
