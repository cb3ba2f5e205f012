// SPDX-License-Identifier: Apache-2.0
// probe_room: whether a directory's disk takes bytes: writes some, durably, and removes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "store/file_system.h"

namespace weir::broker {

inline constexpr std::string_view kRoomProbeName = "room-probe";
inline constexpr std::size_t kRoomProbeBytes = std::size_t{64} << 10U;

// kStoreFull or kStoreIo, with the file and the reason, if it does not.
base::Result<void> probe_room(store::FileSystem& files, const std::filesystem::path& directory);

}  // namespace weir::broker
