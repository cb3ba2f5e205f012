// SPDX-License-Identifier: Apache-2.0
// StrongId: an integer that cannot be mistaken for an integer of another meaning.
//
//   using SubscriptionId = base::StrongId<struct SubscriptionTag>;
#pragma once

#include <compare>
#include <cstdint>

namespace weir::base {

template <typename Tag>
struct StrongId {
  std::uint64_t value = 0;

  auto operator<=>(const StrongId&) const = default;
};

}  // namespace weir::base
