// SPDX-License-Identifier: Apache-2.0
// PaddedText: a copy of a text with zero bytes behind it, so that a scanner may read whole blocks
// and need not ask for the end: it meets a NUL there. Short texts cost no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace weir::event {

class PaddedText {
 public:
  static constexpr std::size_t kPaddingBytes = 64;

  explicit PaddedText(std::string_view text) : size_(text.size()) {
    if (size_ + kPaddingBytes > short_.size()) {
      long_ = std::make_unique_for_overwrite<char[]>(size_ + kPaddingBytes);
      begin_ = long_.get();
    }
    if (!text.empty()) std::memcpy(begin_, text.data(), size_);
    std::memset(begin_ + size_, 0, kPaddingBytes);
  }
  PaddedText(const PaddedText&) = delete;
  PaddedText& operator=(const PaddedText&) = delete;
  ~PaddedText() = default;

  const char* begin() const { return begin_; }
  const char* end() const { return begin_ + size_; }
  // The text without the padding.
  std::string_view view() const { return {begin_, size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> long_;
  std::array<char, 1024> short_;  // not filled beyond the text
  char* begin_ = short_.data();
};

}  // namespace weir::event
