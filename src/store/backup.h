// SPDX-License-Identifier: Apache-2.0
// back_up: a consistent copy of a broker's directory, also while the broker runs.
//
// The registry is written after the log: it knows nothing that the log has not. So the registry's
// state is fixed first, by a transaction that reads; then the log's segments are opened and their
// lengths noted; then both are copied. Everything that was confirmed before, an event or an
// acknowledgement, is in the copy. Between the two moments, the copy may have an event and not its
// acknowledgement: the event is delivered again, as after a crash.
//
//   target/registry.sqlite, log/IDENTITY, log/*.log, MANIFEST
//
// The manifest comes last, when all else is durable. No lock is taken: the broker neither waits nor
// knows. Costs: reads the log twice and writes it once; one open file for each segment; while the
// registry is copied, its write-ahead log grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "store/file_copy.h"
#include "store/manifest.h"

namespace weir::store {

struct BackupOptions {
  std::filesystem::path source;  // a broker's directory
  std::filesystem::path target;  // made; nothing may be in it
  std::string created;           // for the manifest: the time, and the program's version
  std::string program;
  std::function<void(std::uint64_t total_bytes)> on_begin = {};  // before the first byte
  CopyProgress progress = {};
};

// Fails with kStoreTarget if the target cannot be used, or the source is no broker's directory.
base::Result<Manifest> back_up(const BackupOptions& options);

// Makes the directory for its owner's eyes only. Fails with kStoreTarget if there is something in
// it.
base::Result<void> make_target(const std::filesystem::path& target);

}  // namespace weir::store
