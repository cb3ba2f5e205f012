// SPDX-License-Identifier: Apache-2.0
// restore: a directory that a broker can start on, from a backup.
//
// Every file is checked against the manifest while it is copied. The directory appears under its
// name only when it is complete and durable; before that it has the suffix ".restoring", which
// a failure removes again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "store/file_copy.h"
#include "store/manifest.h"

namespace weir::store {

struct RestoreOptions {
  std::filesystem::path backup;
  std::filesystem::path target;  // not there, or empty
  std::function<void(std::uint64_t total_bytes)> on_begin = {};
  CopyProgress progress = {};
};

// Fails with kStoreTarget if the target is not empty or the backup is none or not complete, with
// kStoreLocked if a broker uses the target, and with kStoreCorrupt if a file is not as the manifest
// tells.
base::Result<Manifest> restore(const RestoreOptions& options);

}  // namespace weir::store
