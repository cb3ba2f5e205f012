// SPDX-License-Identifier: Apache-2.0
// FaultFileSystem: files in memory on a disk that fails, fills up and loses its power on command.
//
// What a file holds is kept twice: as programs see it, and as it is on the disk. A sync brings the
// one to the other. A sync that fails does not, and, as on Linux, forgets what there was to write:
// the next one succeeds without writing it. A crash leaves, of each write since the last sync,
// nothing, all, a prefix or some sectors of 512 bytes; of creations and removals since the
// directory's sync the first few.
//
// Threads: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "base/result.h"
#include "store/file_system.h"

namespace weir::store {

enum class FileOperation : std::uint8_t {
  kCreate,
  kOpen,
  kRemove,
  kRead,
  kWrite,
  kSync,
  kTruncate,
  kSyncDirectory,
};
inline constexpr std::size_t kFileOperationCount = 8;

class FaultFileSystem final : public FileSystem {
 public:
  FaultFileSystem() = default;

  base::Result<void> create_directory(const std::filesystem::path& path) override;
  base::Result<std::vector<std::string>> list(const std::filesystem::path& directory) override;
  base::Result<std::unique_ptr<File>> create(const std::filesystem::path& path) override;
  base::Result<std::unique_ptr<File>> open(const std::filesystem::path& path) override;
  base::Result<std::unique_ptr<File>> open_to_read(const std::filesystem::path& path) override {
    return open(path);
  }
  base::Result<void> remove(const std::filesystem::path& path) override;
  base::Result<void> sync_directory(const std::filesystem::path& directory) override;

  // The next operation of its kind but `after_count` fails. A write has then written that many
  // bytes; a truncation is seen by programs but is not on the disk.
  void fail(FileOperation operation, std::uint64_t after_count = 0,
            std::uint64_t written_bytes = 0);
  void fail_nothing();
  // Writes beyond this sum of the files' sizes fail with kStoreFull, after what there is room for.
  void set_capacity(std::uint64_t capacity_bytes);
  // The power is lost and comes back. Files that are open stay so, on the disk as it was before.
  void crash(base::Prng& prng);

  std::uint64_t count(FileOperation operation) const;
  // The files as programs see them, by path, and made so, durably.
  std::map<std::string, std::string> contents() const;
  void set_contents(const std::map<std::string, std::string>& contents);

 private:
  friend class FaultFile;

  struct Write {
    std::uint64_t offset_bytes = 0;
    std::string bytes;
  };
  struct Node {
    std::string seen;
    std::string durable;
    std::vector<Write> unsynced;
  };
  using NodePtr = std::shared_ptr<Node>;
  struct NameChange {
    std::string path;
    NodePtr node;  // null: removed
  };

  bool strikes(FileOperation operation);
  std::uint64_t room_bytes() const;
  static NodePtr after_crash(const Node& node, base::Prng& prng);

  mutable std::mutex mutex_;
  std::map<std::string, NodePtr> names_;
  std::map<std::string, NodePtr> durable_names_;
  std::vector<NameChange> unsynced_names_;
  std::array<std::uint64_t, kFileOperationCount> counts_{};
  std::array<std::uint64_t, kFileOperationCount> failing_counts_{};  // zero: none
  std::uint64_t failing_write_bytes_ = 0;
  std::uint64_t capacity_bytes_ = std::uint64_t{1} << 60U;
};

}  // namespace weir::store
