// SPDX-License-Identifier: Apache-2.0
// The files of a broker's directory in memory, for tests that copy, mix and damage them.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>

namespace weir::broker {

using Files = std::map<std::string, std::string>;  // by name, relative to the directory

// While a broker runs these are copied first, in this order; docs/operations.md.
inline constexpr std::array<const char*, 4> kCopiedFirst = {
    "registry.sqlite-numbers", "registry.sqlite", "registry.sqlite-wal", "log/BOUNDS"};

// In the order to copy in while a broker runs.
Files read_files(const std::filesystem::path& directory);
// The directory has these files and no others afterwards.
void write_files(const Files& files, const std::filesystem::path& directory);

}  // namespace weir::broker
