// SPDX-License-Identifier: Apache-2.0
#include "protocol/chord/ring_member.h"

#include "base/check.h"
#include "protocol/chord/messages.h"

namespace weir::protocol::chord {

namespace {

Peer place_of(const ChordOptions& options) {
  return {.node = options.self, .id = Ring(options.ring_bits).key_of(options.name)};
}

}  // namespace

RingMember::RingMember(const ChordOptions& member_options, std::uint64_t seed)
    : options(member_options),
      prng(seed),
      table(Ring(options.ring_bits), place_of(options), options.successors_max) {
  WEIR_CHECK(options.self != kUser);
  WEIR_CHECK(options.successors_max >= 1 && options.successors_max <= kSuccessorsMax);
}

bool RingMember::is_settled() const {
  if (phase != Phase::kMember) return false;
  if (table.is_alone()) return true;
  return table.predecessor() && table.successor() &&
         is_confirmed(by_predecessor, *table.predecessor(), options.lease) &&
         is_confirmed(by_successor, *table.successor(), options.lease);
}

bool RingMember::is_confirmed(const std::optional<Confirmation>& confirmation, const Peer& peer,
                              base::Duration within) const {
  return confirmation && confirmation->node == peer.node &&
         clock.now() - confirmation->instant <= within;
}

base::Instant RingMember::after(base::Duration interval) {
  const auto half = static_cast<std::uint64_t>(interval.nanoseconds) / 2;
  const auto chance = static_cast<std::int64_t>(prng.next() % (half + 1));
  return clock.now() + base::Duration{interval.nanoseconds - (interval.nanoseconds / 4) + chance};
}

}  // namespace weir::protocol::chord
