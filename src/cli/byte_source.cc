// SPDX-License-Identifier: Apache-2.0
#include "cli/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace weir::cli {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

base::Error file_error(std::string_view verb, std::string_view name) {
  return {base::ErrorId::kCliFile, fmt::format("cannot {} {}: {}", verb, name, strerror(errno)),
          std::nullopt};
}

}  // namespace

base::Result<std::size_t> MemorySource::read(std::span<char> out) {
  const std::size_t count = std::min(out.size(), rest_.size());
  std::memcpy(out.data(), rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

base::Result<FileSource> FileSource::open(const std::string& path) {
  if (path == "-") return FileSource(STDIN_FILENO, "stdin");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error("open", path);
  return FileSource(descriptor, path);
}

FileSource::FileSource(FileSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}

FileSource::~FileSource() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
}

base::Result<std::size_t> FileSource::read(std::span<char> out) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, out.data(), out.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return file_error("read", name_);
  }
}

bool FileSource::wait(base::Duration timeout) {
  constexpr std::int64_t kStepMs = 60'000;
  const std::int64_t milliseconds = timeout.nanoseconds / 1'000'000 + 1;
  pollfd waiting{descriptor_, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, kStepMs))) >
         0;
}

std::optional<std::uint64_t> FileSource::size_bytes() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

base::Result<std::string> read_all(ByteSource& source, std::size_t bytes_max) {
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kReadBytes);
    const auto count = source.read(std::span(text).subspan(size));
    if (!count) return count.error();
    text.resize(size + *count);
    if (*count == 0) return text;
    if (text.size() > bytes_max) {
      return base::Error{base::ErrorId::kJsonTooLong,
                         fmt::format("the text is longer than the limit of {} bytes", bytes_max),
                         std::nullopt};
    }
  }
}

}  // namespace weir::cli
