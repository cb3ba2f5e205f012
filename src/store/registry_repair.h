// SPDX-License-Identifier: Apache-2.0
// repair_registry: a new registry of the rows of a damaged one that are as they were written.
//
// Every row is read and verified; around a page that cannot be read, tables are read from both
// ends. Rows that belong to a lost one are left out with it. The numbers of transactions begin anew
// with the highest that is known. Nothing is guessed: what is left out is told by table and key as
// far as it is known.
//
// Requires that nobody uses the registry. Costs a read of the whole file and a write of the new
// one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/log_repair.h"

namespace weir::store {

struct LostRow {
  std::string table;   // "any" if it is not known
  std::string key;     // as "subscription 7, delivery 3"; of several rows: which ones
  std::string reason;  // why it is left out

  bool operator==(const LostRow&) const = default;
};

struct RegistryRepair {
  std::vector<LostRow> rows;
  // Transactions that were confirmed and are gone, and the tables that the last of them changed.
  std::uint64_t transaction_count = 0;
  std::string transaction_tables;
};

// The registry of a broker's directory; `identity` is the log's, if it is known. Fails with
// kStoreCorrupt, and changes nothing, if there is no registry or it cannot be opened at all.
base::Result<RegistryRepair> repair_registry(const std::filesystem::path& directory,
                                             const std::optional<std::uint64_t>& identity,
                                             const KeepOriginal& keep);

}  // namespace weir::store
