// SPDX-License-Identifier: Apache-2.0
// StrongId: an integer that cannot be mistaken for an integer of another meaning.
//
//   using SubscriptionId = base::StrongId<struct SubscriptionTag>;
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace weir::base {

template <typename Tag>
struct StrongId {
  std::uint64_t value = 0;

  auto operator<=>(const StrongId&) const = default;
};

// The hasher of maps keyed by ids. Ids are given in order; a multiplication spreads them.
struct StrongIdHash {
  using is_avalanching = void;

  template <typename Tag>
  std::size_t operator()(StrongId<Tag> id) const {
    const std::uint64_t product = id.value * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(product ^ product >> 32U);
  }
};

}  // namespace weir::base
