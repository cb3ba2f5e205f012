// SPDX-License-Identifier: Apache-2.0
#include "broker/room_probe.h"

#include <algorithm>
#include <string>

namespace weir::broker {
namespace {

base::Result<void> write_probe(store::FileSystem& files, const std::filesystem::path& path) {
  auto file = files.create(path);
  if (!file) return file.error();
  if (auto written = (*file)->write_at(0, std::string(kRoomProbeBytes, '\0')); !written) {
    return written;
  }
  return (*file)->sync_data();
}

}  // namespace

base::Result<void> probe_room(store::FileSystem& files, const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kRoomProbeName;
  const auto names = files.list(directory);
  if (!names) return names.error();
  // A crash has left it.
  if (std::ranges::find(*names, kRoomProbeName) != names->end()) {
    if (auto removed = files.remove(path); !removed) return removed;
  }
  const base::Result<void> written = write_probe(files, path);
  // Bytes that stay do no harm, and the next probe removes them.
  [[maybe_unused]] const auto removed = files.remove(path);
  return written;
}

}  // namespace weir::broker
