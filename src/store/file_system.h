// SPDX-License-Identifier: Apache-2.0
// FileSystem: the few things the log asks of a disk. The seam where tests make disks fail.
//
// Every error is kStoreFull or kStoreIo and names what was tried, the file and the reason.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::store {

class File {
 public:
  virtual ~File() = default;

  // All bytes or an error, after which any of them may be written; kStoreFull if the disk is full,
  // or the file would be longer than the process may make it (RLIMIT_FSIZE).
  virtual base::Result<void> write_at(std::uint64_t offset_bytes, std::string_view bytes) = 0;
  // Fewer bytes than asked for only at the end of the file.
  virtual base::Result<std::string> read_at(std::uint64_t offset_bytes,
                                            std::uint64_t byte_count) const = 0;
  // Makes the bytes and the size durable. After a failure nothing can be said about what was
  // written since the last success, even if the next call succeeds.
  virtual base::Result<void> sync_data() = 0;
  // Durable when it returns.
  virtual base::Result<void> truncate(std::uint64_t size_bytes) = 0;
  virtual base::Result<std::uint64_t> size() const = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // With its parents, and durable; nothing is done if it is there.
  virtual base::Result<void> create_directory(const std::filesystem::path& path) = 0;
  // The names in it, in any order.
  virtual base::Result<std::vector<std::string>> list(const std::filesystem::path& directory) = 0;
  // Made anew; fails if it is there.
  virtual base::Result<std::unique_ptr<File>> create(const std::filesystem::path& path) = 0;
  virtual base::Result<std::unique_ptr<File>> open(const std::filesystem::path& path) = 0;
  // The file cannot be written through it, and need not be writable.
  virtual base::Result<std::unique_ptr<File>> open_to_read(const std::filesystem::path& path) = 0;
  // A file that is open stays readable.
  virtual base::Result<void> remove(const std::filesystem::path& path) = 0;
  // Makes creations and removals in the directory durable.
  virtual base::Result<void> sync_directory(const std::filesystem::path& directory) = 0;
};

// The machine's own.
FileSystem& posix_file_system();

}  // namespace weir::store
