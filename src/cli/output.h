// SPDX-License-Identifier: Apache-2.0
// Output: buffered writing. Failure is remembered, so that only the end of a command looks at it.
//
// A reader that has gone away (EPIPE, as with `| head`) is no failure: the output is then ended,
// what follows is dropped, and the command may stop.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::cli {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Writes everything; false if nobody reads it any more.
  virtual base::Result<bool> write(std::string_view bytes) = 0;
};

class StringSink final : public ByteSink {
 public:
  base::Result<bool> write(std::string_view bytes) override;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// An open descriptor, which stays open. Errors are kCliFile.
class DescriptorSink final : public ByteSink {
 public:
  DescriptorSink(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)) {}
  base::Result<bool> write(std::string_view bytes) override;

 private:
  int descriptor_;
  std::string name_;
};

class Output {
 public:
  explicit Output(ByteSink& sink, std::size_t buffer_bytes = std::size_t{64} << 10U);

  void append(std::string_view text);
  void flush();

  // Nothing more will be written: writing failed, or nobody reads.
  bool ended() const { return ended_; }
  // Flushes, and tells whether everything was written or not wanted.
  base::Result<void> finish();

 private:
  void write(std::string_view text);

  ByteSink& sink_;
  std::size_t buffer_bytes_;
  std::string buffer_;
  bool ended_ = false;
  std::optional<base::Error> error_;
};

// Standard output and standard error of a command.
struct Streams {
  Output& out;
  Output& err;
};

}  // namespace weir::cli
