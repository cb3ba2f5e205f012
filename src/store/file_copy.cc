// SPDX-License-Identifier: Apache-2.0
#include "store/file_copy.h"

#include <algorithm>
#include <limits>

#include "base/stream_hash.h"

namespace weir::store {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20U;

// Reads the first bytes of a file, and hands on each piece with its offset.
template <typename Take>
base::Result<CopiedFile> read_through(const File& file, std::uint64_t bytes_max, Take take) {
  base::StreamHash hash;
  std::uint64_t offset_bytes = 0;
  while (offset_bytes < bytes_max) {
    const auto piece = file.read_at(offset_bytes, std::min(kPieceBytes, bytes_max - offset_bytes));
    if (!piece) return piece.error();
    if (piece->empty()) break;
    hash.add(*piece);
    if (auto taken = take(offset_bytes, *piece); !taken) return taken.error();
    offset_bytes += piece->size();
  }
  return CopiedFile{offset_bytes, hash.value()};
}

}  // namespace

base::Result<CopiedFile> copy_file(const File& from, std::uint64_t bytes_max, FileSystem& files,
                                   const std::filesystem::path& to, const CopyProgress& progress) {
  auto file = files.create(to);
  if (!file) return file.error();
  const auto copied =
      read_through(from, bytes_max, [&](std::uint64_t offset_bytes, const std::string& piece) {
        base::Result<void> written = (*file)->write_at(offset_bytes, piece);
        if (written && progress) progress(piece.size());
        return written;
      });
  if (!copied) return copied.error();
  if (auto synced = (*file)->sync_data(); !synced) return synced.error();
  return *copied;
}

base::Result<CopiedFile> sum_file(const File& file) {
  return read_through(file, std::numeric_limits<std::uint64_t>::max(),
                      [](std::uint64_t, const std::string&) { return base::Result<void>(); });
}

}  // namespace weir::store
