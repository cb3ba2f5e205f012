// SPDX-License-Identifier: Apache-2.0
#include "store/log_snapshot.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/segment.h"
#include "store/segment_link.h"

namespace weir::store {
namespace {

// Each try can fail only because retention removed a segment meanwhile.
constexpr int kTriesMax = 100;

// The files of the log by number, all of them open; nullopt if one was removed meanwhile.
base::Result<std::optional<std::vector<FoundSegment>>> open_all(FileSystem& files,
                                                                const std::filesystem::path& log) {
  const auto numbers = find_segment_numbers(files, log);
  if (!numbers) return numbers.error();
  std::vector<FoundSegment> found;
  for (const std::uint64_t number : *numbers) {
    auto one = inspect_segment(files, log, number, FileUse::kRead);
    if (one) {
      found.push_back(*std::move(one));
      continue;
    }
    const auto again = find_segment_numbers(files, log);
    if (again && std::ranges::find(*again, number) == again->end()) {
      return std::optional<std::vector<FoundSegment>>();
    }
    return one.error();
  }
  return std::optional(std::move(found));
}

base::Result<std::vector<SnapshotSegment>> check(std::vector<FoundSegment> found) {
  // A file without a whole header is just being made: nothing in it is confirmed.
  if (!found.empty() && !found.back().header && found.back().file_bytes <= kSegmentHeaderBytes) {
    found.pop_back();
  }
  std::vector<SnapshotSegment> segments;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].header) return damage(found[i].path, 0, "no valid header");
    if (i > 0) {
      if (auto linked = check_link(found[i - 1], found[i]); !linked) return linked.error();
    }
    segments.push_back(
        {found[i].path, *found[i].header, found[i].file, found[i].file_bytes, found[i].version});
  }
  return segments;
}

}  // namespace

base::Result<std::vector<SnapshotSegment>> take_log_snapshot(FileSystem& files,
                                                             const std::filesystem::path& log) {
  for (int tries = 1;; ++tries) {
    auto found = open_all(files, log);
    if (!found) return found.error();
    if (*found) return check(**std::move(found));
    if (tries == kTriesMax) {
      return base::Error{base::ErrorId::kStoreIo,
                         "segments of " + log.native() + " are removed faster than they are opened",
                         std::nullopt};
    }
  }
}

}  // namespace weir::store
