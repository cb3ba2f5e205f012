// SPDX-License-Identifier: Apache-2.0
// Doctor: examines a broker's directory and tells what it finds, in plain words.
//
// Every checksum in every segment, every event and note, every page and row of the registry, and
// whether log and registry belong together. Nothing is changed and no lock is kept: a broker may
// run on the directory.
//
// Costs a read of everything; memory for the ids of the subscriptions.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "store/findings.h"
#include "store/log_examiner.h"
#include "store/registry_examiner.h"

namespace weir::broker {

struct DoctorReport {
  bool running = false;  // a broker uses the directory
  store::LogExamination log;
  store::RegistryExamination registry;
  store::Findings findings;
};

enum class DirectoryUse : std::uint8_t {
  kAny,   // a broker may run on it
  kMine,  // the caller has its lock
};

// Fails with kStoreTarget if there is no broker's directory of that name.
base::Result<DoctorReport> examine_directory(const std::filesystem::path& directory,
                                             DirectoryUse use = DirectoryUse::kAny);

}  // namespace weir::broker
