// SPDX-License-Identifier: Apache-2.0
// Known readings: the events in memory that a new subscription to changes may begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "broker/recent_events.h"
#include "engine/engine.h"
#include "filter/filter.h"

namespace weir::broker {

// So many of the newest events are looked at, which takes some milliseconds.
inline constexpr std::size_t kKnownEventCountMax = 10'000;

// Whether the filter has a conjunction of several changes: it always begins with what is known.
bool is_composite(const filter::Filter& filter);

// The newest reading of each source and key that the gate admits, oldest first, each event once.
// None if the filter has text, or no change. Without keys it looks no further than it must, and
// never further than so many steps of work allow; 0: as far as it likes.
std::vector<event::EventPtr> known_readings(const filter::Filter& filter,
                                            const std::shared_ptr<const engine::Gate>& gate,
                                            const RecentEvents& recent, std::uint64_t steps_max);

}  // namespace weir::broker
