// SPDX-License-Identifier: Apache-2.0
// OrSummary: the bitwise or of byte strings of one size. For Bloom filters of equal shape it is the
// filter of the union.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/tree/summary.h"

namespace weir::protocol::tree {

class OrSummary : public Summary {
 public:
  explicit OrSummary(std::size_t size_bytes) : size_bytes_(size_bytes) {}

  std::string identity() const override { return std::string(size_bytes_, '\0'); }
  bool is_valid(std::string_view bytes) const override { return bytes.size() == size_bytes_; }
  bool merge(std::string& into, std::string_view from, std::size_t bytes_max) const override;

 private:
  std::size_t size_bytes_;
};

}  // namespace weir::protocol::tree
