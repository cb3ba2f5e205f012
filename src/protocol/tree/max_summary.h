// SPDX-License-Identifier: Apache-2.0
// MaxSummary: the largest of int64 values, as u64 in two's complement; no bytes if there are no
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/tree/summary.h"

namespace weir::protocol::tree {

class MaxSummary : public Summary {
 public:
  static std::string of(std::int64_t value);
  // Requires that the bytes are valid.
  static std::optional<std::int64_t> read(std::string_view bytes);

  std::string identity() const override { return {}; }
  bool is_valid(std::string_view bytes) const override;
  bool merge(std::string& into, std::string_view from, std::size_t bytes_max) const override;
};

}  // namespace weir::protocol::tree
