// SPDX-License-Identifier: Apache-2.0
// The identity of a store: a random number in the registry and in the log, so that a registry is
// not used with the log of another directory.
//
// In the log it is the file IDENTITY, 37 bytes: "weir log identity 1122334455667788 1\n", the
// number in hexadecimal digits and the version of the file. The registry gets it first: a registry
// without one beside a log that has one is a registry of another time or place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "store/file_system.h"
#include "store/registry.h"

namespace weir::store {

inline constexpr const char* kIdentityName = "IDENTITY";

// nullopt if there is none, or a crash left it unfinished. Fails with kStoreCorrupt if it is none.
base::Result<std::optional<std::uint64_t>> read_log_identity(FileSystem& files,
                                                             const std::filesystem::path& log);

// Durable when it returns. Requires a directory; replaces what is there.
base::Result<void> write_log_identity(FileSystem& files, const std::filesystem::path& log,
                                      std::uint64_t identity);

// Fails with kStoreMismatch if the registry and the log do not belong together, and tells what to
// do; 0 stands for none in the registry.
base::Result<void> compare_identities(const std::filesystem::path& directory,
                                      std::uint64_t of_registry,
                                      const std::optional<std::uint64_t>& of_log);

// Fails with kStoreMismatch if there is no registry yet while the log is one of another registry.
// To be called before a registry is made.
base::Result<void> check_new_registry(FileSystem& files, const std::filesystem::path& directory);

// Checks that both belong together; gives both `fresh` if there is none yet.
base::Result<void> reconcile_identity(FileSystem& files, const std::filesystem::path& directory,
                                      Registry& registry, std::uint64_t fresh);

}  // namespace weir::store
