// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <utility>

#include "store/file_system.h"

namespace weir::store {
namespace {

constexpr ::mode_t kFileMode = 0640;
constexpr ::mode_t kDirectoryMode = 0750;

base::Error failure(std::string_view what, const std::filesystem::path& path) {
  const int code = errno;
  const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;  // EFBIG: RLIMIT_FSIZE
  return {
      full ? base::ErrorId::kStoreFull : base::ErrorId::kStoreIo,
      fmt::format("cannot {} {}: {}", what, path.native(), std::generic_category().message(code)),
      std::nullopt};
}

// Repeats a call that a signal has interrupted.
template <typename Call>
auto retried(Call&& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

class PosixFile final : public File {
 public:
  PosixFile(int descriptor, std::filesystem::path path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override { ::close(descriptor_); }

  base::Result<void> write_at(std::uint64_t offset_bytes, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = retried([&] {
        return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
      });
      if (count < 0) {
        return failure(fmt::format("write {} bytes at {} of", bytes.size(), offset_bytes), path_);
      }
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset_bytes += static_cast<std::uint64_t>(count);
    }
    return {};
  }

  base::Result<std::string> read_at(std::uint64_t offset_bytes,
                                    std::uint64_t byte_count) const override {
    std::string bytes(byte_count, '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = retried([&] {
        return ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                       static_cast<off_t>(offset_bytes + done));
      });
      if (count < 0) {
        return failure(fmt::format("read {} bytes at {} of", byte_count, offset_bytes), path_);
      }
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
  }

  base::Result<void> sync_data() override {
    if (retried([&] { return ::fdatasync(descriptor_); }) < 0) return failure("sync", path_);
    return {};
  }

  base::Result<void> truncate(std::uint64_t size_bytes) override {
    const auto length = static_cast<off_t>(size_bytes);
    if (retried([&] { return ::ftruncate(descriptor_, length); }) < 0 ||
        retried([&] { return ::fsync(descriptor_); }) < 0) {
      return failure(fmt::format("truncate to {} bytes", size_bytes), path_);
    }
    return {};
  }

  base::Result<std::uint64_t> size() const override {
    struct stat status{};
    if (::fstat(descriptor_, &status) < 0) return failure("get the size of", path_);
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  int descriptor_;
  std::filesystem::path path_;
};

base::Result<std::unique_ptr<File>> open_file(const std::filesystem::path& path, int flags,
                                              std::string_view what) {
  const int descriptor =
      retried([&] { return ::open(path.c_str(), O_CLOEXEC | flags, kFileMode); });
  if (descriptor < 0) return failure(what, path);
  return std::make_unique<PosixFile>(descriptor, path);
}

class PosixFileSystem final : public FileSystem {
 public:
  base::Result<void> create_directory(const std::filesystem::path& path) override {
    if (::mkdir(path.c_str(), kDirectoryMode) == 0) return sync_parent(path);
    if (errno == EEXIST) return {};
    const std::filesystem::path parent = path.parent_path();
    if (errno != ENOENT || parent.empty() || parent == path) {
      return failure("create directory", path);
    }
    if (auto created = create_directory(parent); !created) return created;
    if (::mkdir(path.c_str(), kDirectoryMode) != 0) return failure("create directory", path);
    return sync_parent(path);
  }

  base::Result<std::vector<std::string>> list(const std::filesystem::path& directory) override {
    ::DIR* const stream = ::opendir(directory.c_str());
    if (stream == nullptr) return failure("list", directory);
    std::vector<std::string> names;
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this call's own
    while (const ::dirent* const entry = ::readdir(stream)) {
      const std::string_view name(&entry->d_name[0]);
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int code = errno;
    ::closedir(stream);
    errno = code;
    if (code != 0) return failure("list", directory);
    return names;
  }

  base::Result<std::unique_ptr<File>> create(const std::filesystem::path& path) override {
    return open_file(path, O_RDWR | O_CREAT | O_EXCL, "create");
  }

  base::Result<std::unique_ptr<File>> open(const std::filesystem::path& path) override {
    return open_file(path, O_RDWR, "open");
  }

  base::Result<std::unique_ptr<File>> open_to_read(const std::filesystem::path& path) override {
    return open_file(path, O_RDONLY, "open");
  }

  base::Result<void> remove(const std::filesystem::path& path) override {
    if (::unlink(path.c_str()) != 0) return failure("remove", path);
    return {};
  }

  base::Result<void> sync_directory(const std::filesystem::path& directory) override {
    const int descriptor =
        retried([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (descriptor < 0) return failure("open directory", directory);
    base::Result<void> result;
    if (retried([&] { return ::fsync(descriptor); }) < 0) {
      result = failure("sync directory", directory);
    }
    ::close(descriptor);
    return result;
  }

 private:
  base::Result<void> sync_parent(const std::filesystem::path& path) {
    const std::filesystem::path parent = path.parent_path();
    return sync_directory(parent.empty() ? "." : parent);
  }
};

}  // namespace

FileSystem& posix_file_system() {
  static PosixFileSystem files;
  return files;
}

}  // namespace weir::store
