// SPDX-License-Identifier: Apache-2.0
#include "protocol/slots/about.h"

#include <variant>

#include "protocol/slots/messages.h"

namespace weir::protocol::slots {

namespace {

void tell_about(const Envelope& envelope, MessageAbout& about) {
  about.hops = envelope.hops;
  if (const auto* keys = std::get_if<std::vector<Key>>(&envelope.destination)) {
    about.keys.insert(about.keys.end(), keys->begin(), keys->end());
  } else {
    about.arcs.push_back(std::get<ArcSlots>(envelope.destination).arc);
  }
}

}  // namespace

void tell_about(std::string_view message, MessageAbout& about) {
  if (const auto envelope = read<Envelope>(message)) {
    tell_about(*envelope, about);
  } else if (const auto items = read<Items>(message)) {
    for (const KeyItem& item : items->items) about.keys.push_back(item.key);
  }
}

}  // namespace weir::protocol::slots
