// SPDX-License-Identifier: Apache-2.0
#include "protocol/effects.h"

namespace weir::protocol {

void Effects::multicast(Destinations destinations, MessageKind kind, std::string bytes) {
  Multicast& multicast = std::get<Multicast>(list_.emplace_back(std::in_place_type<Multicast>));
  multicast.destinations = std::move(destinations);
  multicast.kind = kind;
  multicast.bytes = std::move(bytes);
}

}  // namespace weir::protocol
