// SPDX-License-Identifier: Apache-2.0
// CreditWindow: how many deliveries the broker may have on their way to one peer.
//
// The peer's credit, which may be endless, is passed on in portions, so that what waits in the
// server is bounded by a count and, by the mean size of what was written, about by bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace weir::server {

class CreditWindow {
 public:
  static constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();

  CreditWindow(std::size_t count_max, std::size_t bytes_max)
      : count_max_(count_max), bytes_max_(bytes_max), window_(std::min(kFirst, count_max)) {}

  // The peer takes so many more.
  void add(std::uint64_t count) { peer_credit_ += std::min(count, kEndless - peer_credit_); }

  // These have been written to the peer.
  void on_written(std::uint64_t count, std::uint64_t bytes) {
    under_way_ -= std::min(count, under_way_);
    if (count == 0) return;
    const std::uint64_t mean = bytes / count;
    mean_bytes_ = mean_bytes_ == 0 ? mean : (3 * mean_bytes_ + mean) / 4;
    window_ = std::clamp<std::uint64_t>(bytes_max_ / std::max<std::uint64_t>(mean_bytes_, 1), 1,
                                        count_max_);
  }

  // What to give the broker now: nothing, unless half of the window is free.
  std::uint64_t take() {
    if (2 * under_way_ > window_) return 0;
    const std::uint64_t given = std::min(peer_credit_, window_ - under_way_);
    if (peer_credit_ != kEndless) peer_credit_ -= given;
    under_way_ += given;
    return given;
  }

 private:
  static constexpr std::size_t kFirst = 16;  // until sizes are known

  std::uint64_t count_max_;
  std::uint64_t bytes_max_;
  std::uint64_t window_;
  std::uint64_t peer_credit_ = 0;
  std::uint64_t under_way_ = 0;  // given to the broker and not yet written
  std::uint64_t mean_bytes_ = 0;
};

}  // namespace weir::server
