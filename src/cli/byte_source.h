// SPDX-License-Identifier: Apache-2.0
// ByteSource: where input comes from: a file, standard input, or bytes in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace weir::cli {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads at least one byte into `out`, which must not be empty; 0 at the end.
  virtual base::Result<std::size_t> read(std::span<char> out) = 0;
  // Waits until read() would not block; false if that takes longer.
  virtual bool wait(base::Duration timeout) = 0;
};

// The bytes must outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}

  base::Result<std::size_t> read(std::span<char> out) override;
  bool wait(base::Duration) override { return true; }

 private:
  std::string_view rest_;
};

// Closes what it opened. Errors are kCliFile and name the file.
class FileSource final : public ByteSource {
 public:
  // "-" is standard input.
  static base::Result<FileSource> open(const std::string& path);

  FileSource(FileSource&& other) noexcept;
  FileSource& operator=(FileSource&&) = delete;
  ~FileSource() override;

  base::Result<std::size_t> read(std::span<char> out) override;
  bool wait(base::Duration timeout) override;

  // As messages name it: the path, or "stdin".
  const std::string& name() const { return name_; }
  // Nothing for a pipe or a terminal.
  std::optional<std::uint64_t> size_bytes() const;

 private:
  FileSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  int descriptor_;
  std::string name_;
};

// A whole text. Fails with kJsonTooLong beyond the limit, having read no
// more than that.
base::Result<std::string> read_all(ByteSource& source, std::size_t bytes_max);

}  // namespace weir::cli
