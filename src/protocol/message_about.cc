// SPDX-License-Identifier: Apache-2.0
#include "protocol/message_about.h"

#include <algorithm>
#include <array>
#include <variant>

#include "protocol/chord/about.h"
#include "protocol/message.h"
#include "protocol/probe/about.h"
#include "protocol/slots/about.h"

namespace weir::protocol {

namespace {

void nothing(std::string_view /*message*/, MessageAbout& /*about*/) {}

// In the order of ProtocolId, which begins with 1. What the tree says is about no key.
constexpr std::array<void (*)(std::string_view, MessageAbout&), kProtocolCount> kTellers{
    probe::tell_about, chord::tell_about, nothing, slots::tell_about};

}  // namespace

bool MessageAbout::concerns(const Ring& ring, Key key) const {
  return std::ranges::find(keys, key) != keys.end() ||
         std::ranges::any_of(arcs, [&](const KeyArc& arc) { return ring.contains(arc, key); });
}

void MessageAbout::add(const Destinations& destinations) {
  if (const auto* arc = std::get_if<KeyArc>(&destinations)) {
    arcs.push_back(*arc);
    return;
  }
  const auto& more = std::get<std::vector<Key>>(destinations);
  keys.insert(keys.end(), more.begin(), more.end());
}

// Overlays carry applications' messages, never those of overlays.
void MessageAbout::add_carried(std::string_view message) {
  const OpenMessage open = open_message(message);
  if (!open.refused && open.kind.protocol == ProtocolId::kProbe) probe::tell_about(message, *this);
}

MessageAbout about(std::string_view message) {
  MessageAbout about;
  const OpenMessage open = open_message(message);
  if (open.refused) return about;
  kTellers[static_cast<std::size_t>(open.kind.protocol) - 1](message, about);
  return about;
}

}  // namespace weir::protocol
