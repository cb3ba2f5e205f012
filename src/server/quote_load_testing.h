// SPDX-License-Identifier: Apache-2.0
// QuoteLoad: sixteen publishers that post quotes of 300 bytes to a broker, in batches of 100.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::server {

class QuoteLoad {
 public:
  static constexpr std::size_t kSymbolCount = 1'000;
  static constexpr std::size_t kPublisherCount = 16;
  static constexpr std::uint64_t kBatchEvents = 100;
  static constexpr std::uint64_t kEventBytes = 300;

  explicit QuoteLoad(std::uint16_t port) : port_(port) {}

  // Publishes so many, a multiple of a batch, and returns how many that were in a second.
  double publish(std::uint64_t event_count);

 private:
  std::uint16_t port_;
  std::uint64_t round_ = 0;  // so that ids are never the same
};

}  // namespace weir::server
