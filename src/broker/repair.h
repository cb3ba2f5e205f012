// SPDX-License-Identifier: Apache-2.0
// Repair: makes a broker's directory that does not start one that does, and lists what is lost.
//
// Files that are changed are kept as they were in the subdirectory damaged-<n>. The log keeps every
// valid record (store/log_repair.h), the registry every sound row (store/registry_repair.h).
// Deliveries whose events or notes are lost count as expired when a broker starts, so that counts
// still add up.
//
// Costs a read of everything.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "broker/doctor.h"
#include "broker/lost_deliveries.h"
#include "store/log_repair.h"
#include "store/registry_repair.h"

namespace weir::broker {

struct RepairReport {
  DoctorReport before;               // what was wrong
  std::filesystem::path originals;   // the directory of the originals; empty: nothing was wrong
  std::vector<std::string> changed;  // the files in it
  std::vector<store::LostRecords> records;
  store::RegistryRepair registry;
  std::vector<LostDeliveries> deliveries;
  std::vector<LostNotes> notes;
};

// Fails with kStoreLocked if a broker uses the directory, with kStoreTarget if it is none, and with
// kStoreCorrupt or kStoreMismatch, which tell the way forward, if it cannot be repaired.
base::Result<RepairReport> repair_directory(const std::filesystem::path& directory);

}  // namespace weir::broker
