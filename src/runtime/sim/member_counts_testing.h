// SPDX-License-Identifier: Apache-2.0
// MemberCounts: a summary that counts how often each member was merged, for tests of aggregation.
//
//   { u64 member | u64 times } ascending by member
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/tree/summary.h"

namespace weir::runtime::sim {

class MemberCounts : public protocol::tree::Summary {
 public:
  using Counts = std::map<std::uint64_t, std::uint64_t>;

  static std::string of(const Counts& counts);
  static std::optional<Counts> read(std::string_view bytes);

  std::string identity() const override { return {}; }
  bool is_valid(std::string_view bytes) const override { return read(bytes).has_value(); }
  bool merge(std::string& into, std::string_view from, std::size_t bytes_max) const override;
};

}  // namespace weir::runtime::sim
