// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/about.h"

#include "protocol/chord/messages.h"

namespace weir::protocol::chord {

void tell_about(std::string_view message, MessageAbout& about) {
  if (const auto lookup = read<Lookup>(message)) {
    about.keys.push_back(lookup->key);
  } else if (const auto found = read<Found>(message)) {
    about.keys.push_back(found->key);
    about.hops = found->hops;
  } else if (const auto find = read<Find>(message)) {
    about.keys.push_back(find->key);
    about.hops = find->hops;
  } else if (const auto home = read<Home>(message)) {
    about.keys.push_back(home->key);
    about.hops = home->hops;
  } else if (const auto items = read<Items>(message)) {
    for (const KeyItem& item : items->items) about.keys.push_back(item.key);
  } else if (const auto route = read<RouteEnvelope>(message)) {
    about.keys.push_back(route->key);
    about.hops = route->hops;
    about.add_carried(route->carried);
  } else if (const auto multicast = read<MulticastEnvelope>(message)) {
    // What is carried names the destinations of the other parts too.
    about.add(multicast->destinations);
    about.hops = multicast->hops;
  }
}

}  // namespace weir::protocol::chord
