// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace weir::cli {

LineReader::LineReader(ByteSource& source, Options options)
    : source_(source),
      line_bytes_max_(options.line_bytes_max),
      buffer_(std::make_unique_for_overwrite<char[]>(options.buffer_bytes)),
      capacity_(options.buffer_bytes) {}

base::Result<bool> LineReader::next() {
  if (skipping_) {
    if (auto skipped = skip_line(); !skipped) return skipped.error();
  }
  return next_line();
}

base::Result<bool> LineReader::next_line() {
  for (;;) {
    if (take_line()) {
      ++line_number_;
      if (line_.size() > line_bytes_max_) return too_long();
      return true;
    }
    if (end_ - begin_ > line_bytes_max_) {
      ++line_number_;
      skipping_ = true;
      return too_long();
    }
    if (at_end_) return false;
    if (auto filled = fill(); !filled) return filled.error();
  }
}

// Takes the next line out of the buffer, if it is there as a whole.
bool LineReader::take_line() {
  const void* const found =
      searched_ == end_ ? nullptr : std::memchr(buffer_.get() + searched_, '\n', end_ - searched_);
  if (found == nullptr && (!at_end_ || begin_ == end_)) {
    searched_ = end_;
    return false;
  }
  const std::size_t line_end =
      found == nullptr ? end_
                       : static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get());
  line_ = {buffer_.get() + begin_, line_end - begin_};
  begin_ = std::min(line_end + 1, end_);
  searched_ = begin_;
  return true;
}

base::Result<void> LineReader::skip_line() {
  begin_ = searched_;
  while (!take_line() && !at_end_) {
    begin_ = end_;
    if (auto filled = fill(); !filled) return filled.error();
  }
  skipping_ = false;
  return {};
}

base::Result<void> LineReader::fill() {
  make_room();
  if (before_read_) before_read_();
  const auto count = source_.read({buffer_.get() + end_, capacity_ - end_});
  if (!count) return count.error();
  at_end_ = *count == 0;
  end_ += *count;
  read_bytes_ += *count;
  return {};
}

void LineReader::make_room() {
  const std::size_t kept = end_ - begin_;
  if (kept == capacity_) {
    // One byte more than a line may have tells that it is too long.
    const std::size_t grown = std::min(2 * capacity_, line_bytes_max_ + 1);
    auto larger = std::make_unique_for_overwrite<char[]>(grown);
    std::memcpy(larger.get(), buffer_.get() + begin_, kept);
    buffer_ = std::move(larger);
    capacity_ = grown;
  } else if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  }
  searched_ -= begin_;
  begin_ = 0;
  end_ = kept;
}

base::Error LineReader::too_long() const {
  return {base::ErrorId::kCliLineTooLong,
          fmt::format("the line is longer than the limit of {} bytes", line_bytes_max_),
          base::Position{.line = line_number_}};
}

}  // namespace weir::cli
