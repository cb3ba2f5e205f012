// SPDX-License-Identifier: Apache-2.0
// DeliveryId: a delivery as clients name it.
//
//   17@12     delivery 17 of incarnation 12 of the subscription
//   17        delivery 17 of the subscription that has the name now
//
// Deliveries of a subscription are numbered from 1. A subscription that is deleted and made again
// under the same name begins with 1 too, so a number alone may mean a delivery of the old one. The
// incarnation tells them apart: each subscription that is made gets another, which stays the same
// until it is deleted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::broker {

struct DeliveryId {
  std::uint64_t number = 0;
  std::optional<std::uint64_t> incarnation = {};  // nullopt: whichever there is

  bool operator==(const DeliveryId&) const = default;
};

// An incarnation that no subscription has: an id with it acknowledges nothing.
inline constexpr std::uint64_t kNoIncarnation = 0;

std::string to_string(const DeliveryId& id);
// The inverse; nullopt if the text is no id.
std::optional<DeliveryId> parse_delivery_id(std::string_view text);

}  // namespace weir::broker
