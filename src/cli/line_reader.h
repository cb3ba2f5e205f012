// SPDX-License-Identifier: Apache-2.0
// LineReader: the lines of a source, one after the other, in memory bounded by the longest line
// allowed.
//
// A line ends at a newline, which is no part of it, or at the end of the input; any other byte, NUL
// and carriage return too, belongs to it. Each byte is looked at once, however long its line is.
//
//   while (true) {
//     const auto more = reader.next();
//     if (!more) return more.error();
//     if (!*more) break;
//     use(reader.line());
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "cli/byte_source.h"

namespace weir::cli {

inline constexpr std::size_t kLineBytesMaxDefault = std::size_t{16} << 20U;

class LineReader {
 public:
  struct Options {
    std::size_t line_bytes_max = kLineBytesMaxDefault;
    std::size_t buffer_bytes = std::size_t{256} << 10U;  // at first; at least 1
  };

  LineReader(ByteSource& source, Options options);
  explicit LineReader(ByteSource& source) : LineReader(source, Options()) {}

  // Called before every read, which may block.
  void before_read(std::function<void()> hook) { before_read_ = std::move(hook); }

  // False at the end. Fails with the source's error, or with kCliLineTooLong: then the next call
  // goes on with the line after.
  base::Result<bool> next();

  // Valid until the next call of next().
  std::string_view line() const { return line_; }
  // Of the line at hand, from 1.
  std::uint64_t line_number() const { return line_number_; }
  std::uint64_t read_bytes() const { return read_bytes_; }

 private:
  base::Result<void> fill();
  base::Result<bool> next_line();
  base::Result<void> skip_line();
  bool take_line();
  void make_room();
  base::Error too_long() const;

  ByteSource& source_;
  std::size_t line_bytes_max_;
  std::function<void()> before_read_;

  // The buffer: bytes handed out, then bytes read, of which some are known to hold no newline.
  //   0 ... begin_ ... searched_ ... end_ ... capacity_
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t searched_ = 0;
  std::size_t end_ = 0;

  std::string_view line_;
  std::uint64_t line_number_ = 0;
  std::uint64_t read_bytes_ = 0;
  bool at_end_ = false;
  bool skipping_ = false;  // inside a line that was too long
};

}  // namespace weir::cli
