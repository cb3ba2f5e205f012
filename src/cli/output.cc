// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace weir::cli {

base::Result<bool> StringSink::write(std::string_view bytes) {
  text_ += bytes;
  return true;
}

base::Result<bool> DescriptorSink::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EPIPE) {
      return false;
    } else if (errno != EINTR) {
      return base::Error{base::ErrorId::kCliFile,
                         fmt::format("cannot write {}: {}", name_, strerror(errno)), std::nullopt};
    }
  }
  return true;
}

Output::Output(ByteSink& sink, std::size_t buffer_bytes)
    : sink_(sink), buffer_bytes_(buffer_bytes) {
  buffer_.reserve(buffer_bytes);
}

void Output::append(std::string_view text) {
  if (buffer_.size() + text.size() > buffer_bytes_) flush();
  if (text.size() > buffer_bytes_) {
    write(text);
  } else {
    buffer_ += text;
  }
}

void Output::flush() {
  write(buffer_);
  buffer_.clear();
}

void Output::write(std::string_view text) {
  if (ended_ || text.empty()) return;
  auto written = sink_.write(text);
  ended_ = !written || !*written;
  if (!written) error_ = std::move(written.error());
}

base::Result<void> Output::finish() {
  flush();
  if (error_) return *error_;
  return {};
}

}  // namespace weir::cli
