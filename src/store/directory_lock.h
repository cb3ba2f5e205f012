// SPDX-License-Identifier: Apache-2.0
// DirectoryLock: one process at a time. The lock goes with the process, however it ends.
#pragma once

#include <filesystem>
#include <memory>

#include "base/instant.h"
#include "base/result.h"

namespace weir::store {

inline constexpr const char* kLockName = "lock";

class DirectoryLock {
 public:
  // Makes the directory if need be, for its owner's eyes only. kStoreLocked if another process, or
  // another lock of this one, still holds it after so long.
  static base::Result<std::unique_ptr<DirectoryLock>> acquire(
      const std::filesystem::path& directory, base::Duration patience = {});

  // Whether some process holds it now. Makes nothing.
  static bool is_held(const std::filesystem::path& directory);

  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace weir::store
