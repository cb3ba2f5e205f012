// SPDX-License-Identifier: Apache-2.0
// Manifest: what a backup consists of. It is written last, so a backup without one is incomplete.
//
// A text of lines, each a word and its values; the last line is the checksum of all before it:
//
//   weir backup 1
//   created 2026-01-02T03:04:05Z
//   program 0.1.0
//   events 1201 5400
//   file 61440 00112233aabbccdd registry.sqlite
//   file 4096 00112233aabbccdd log/00000000000000000007.log
//   end 00112233aabbccdd
//
// `events` are the first sequence in the log and the next one to be given. Checksums are XXH3 with
// 64 bits and seed 0, of all bytes of a file, as xxhsum -H3 prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::store {

inline constexpr const char* kManifestName = "MANIFEST";

struct ManifestFile {
  std::string name;  // relative, with slashes
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;

  bool operator==(const ManifestFile&) const = default;
};

struct Manifest {
  std::string created;  // RFC 3339
  std::string program;  // the version that made it
  std::uint64_t first_sequence = 1;
  std::uint64_t next_sequence = 1;
  std::vector<ManifestFile> files;

  std::uint64_t size_bytes() const;
  bool operator==(const Manifest&) const = default;
};

std::string to_text(const Manifest& manifest);

// Fails with kStoreVersion if it is of a later version, and with kStoreCorrupt if it is damaged or
// names a file that no backup has.
base::Result<Manifest> parse_manifest(std::string_view text);

}  // namespace weir::store
