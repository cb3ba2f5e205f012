// SPDX-License-Identifier: Apache-2.0
#include "store/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <thread>

namespace weir::store {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr base::Duration kPause = base::Duration::milliseconds(10);  // between two tries

base::Error io_error(const std::filesystem::path& path, int error) {
  return {base::ErrorId::kStoreIo,
          fmt::format("{}: {}", path.string(), std::generic_category().message(error)),
          std::nullopt};
}

}  // namespace

base::Result<std::unique_ptr<DirectoryLock>> DirectoryLock::acquire(
    const std::filesystem::path& directory, base::Duration patience) {
  std::error_code failed;
  const bool is_new = std::filesystem::create_directories(directory, failed);
  if (!failed && is_new) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
  }
  if (failed) return io_error(directory, failed.value());
  const std::filesystem::path file = directory / kLockName;
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return io_error(file, errno);
  std::unique_ptr<DirectoryLock> lock(new DirectoryLock(descriptor));
  const std::int64_t tries = 1 + patience.nanoseconds / kPause.nanoseconds;
  for (std::int64_t i = 0; i < tries; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(kPause.nanoseconds));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return io_error(file, errno);
  }
  return base::Error{base::ErrorId::kStoreLocked,
                     fmt::format("{} is in use by another process", directory.string()),
                     std::nullopt};
}

bool DirectoryLock::is_held(const std::filesystem::path& directory) {
  const int descriptor = ::open((directory / kLockName).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const DirectoryLock probe(descriptor);
  return ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

DirectoryLock::~DirectoryLock() { ::close(descriptor_); }

}  // namespace weir::store
