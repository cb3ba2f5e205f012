// SPDX-License-Identifier: Apache-2.0
#include "store/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace weir::store {
namespace {

constexpr mode_t kOwnerOnly = 0600;

base::Error io_error(const std::filesystem::path& path, int error) {
  return {base::ErrorId::kStoreIo,
          fmt::format("{}: {}", path.string(), std::generic_category().message(error)),
          std::nullopt};
}

}  // namespace

base::Result<std::unique_ptr<DirectoryLock>> DirectoryLock::acquire(
    const std::filesystem::path& directory) {
  std::error_code failed;
  const bool is_new = std::filesystem::create_directories(directory, failed);
  if (!failed && is_new) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
  }
  if (failed) return io_error(directory, failed.value());
  const std::filesystem::path file = directory / "lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return io_error(file, errno);
  std::unique_ptr<DirectoryLock> lock(new DirectoryLock(descriptor));
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return io_error(file, errno);
  return base::Error{base::ErrorId::kStoreLocked,
                     fmt::format("{} is in use by another process", directory.string()),
                     std::nullopt};
}

DirectoryLock::~DirectoryLock() { ::close(descriptor_); }

}  // namespace weir::store
