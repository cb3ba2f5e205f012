// SPDX-License-Identifier: Apache-2.0
// Latest: what a new subscriber to a change may ask to be told at once: the newest reading of each
// key, of those that are in memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "broker/recent_events.h"
#include "engine/engine.h"
#include "filter/filter.h"

namespace weir::broker {

// So many of the newest events are looked at, which takes some milliseconds.
inline constexpr std::size_t kLatestEventCountMax = 10'000;

struct Latest {
  std::vector<event::EventPtr> events;  // oldest first
  std::string state;                    // of a subscription that was told of them
};

// Nothing unless the filter is one conjunction with one change, and without text.
Latest latest_of(const filter::FilterPtr& filter, const std::shared_ptr<const engine::Gate>& gate,
                 const RecentEvents& recent, const engine::EngineOptions& options,
                 base::Instant now);

}  // namespace weir::broker
