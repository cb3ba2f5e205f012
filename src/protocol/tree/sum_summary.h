// SPDX-License-Identifier: Apache-2.0
// SumSummary: the exact sum and count of int64 values.
//
//   u64 count | u64 low, u64 high of the sum in 128 bits, two's complement
//
// The sum has 128 bits, because a sum that saturates at 64 bits would depend on the order of
// merging. read() saturates. A sum is not valid if that many values cannot have it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/tree/summary.h"

namespace weir::protocol::tree {

class SumSummary : public Summary {
 public:
  struct Total {
    std::uint64_t count = 0;
    std::int64_t sum = 0;  // the nearest int64

    bool operator==(const Total&) const = default;
  };

  static std::string of(std::int64_t value);
  // Requires that the bytes are valid.
  static Total read(std::string_view bytes);

  std::string identity() const override;
  bool is_valid(std::string_view bytes) const override;
  bool merge(std::string& into, std::string_view from, std::size_t bytes_max) const override;
};

}  // namespace weir::protocol::tree
