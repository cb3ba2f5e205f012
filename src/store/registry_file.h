// SPDX-License-Identifier: Apache-2.0
// The registry's file before SQLite opens it, which might take an incomplete copy for a whole one.
//
// Nothing is changed. Costs a read of 100 bytes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace weir::store {

inline constexpr const char* kRegistryName = "registry.sqlite";

enum class RegistryFile : std::uint8_t {
  kNew,    // no file, or one without tables
  kThere,  // a file of whatever content
};

// Fails with kStoreCorrupt if the file, or the write-ahead log that belongs to it, is missing while
// the other is there; the message tells what to do.
base::Result<RegistryFile> inspect_registry_file(const std::filesystem::path& file);

}  // namespace weir::store
