// SPDX-License-Identifier: Apache-2.0
#include "broker/read_refusal.h"

namespace weir::broker {

std::optional<base::Error> refusal_to_read(const Principal& principal,
                                           const DirectoryEntry& entry) {
  using enum base::ErrorId;
  if (principal.grants.subscribe.empty()) {
    return base::Error{kBrokerForbidden, "subscribing is not granted", std::nullopt};
  }
  const bool is_others = principal.name != entry.owner && entry.principal;
  if (is_others && !principal.grants.may_see_all_of(entry.principal->grants)) {
    return base::Error{kBrokerForbidden, "the grants of the subscription's owner go beyond yours",
                       std::nullopt};
  }
  return std::nullopt;
}

}  // namespace weir::broker
