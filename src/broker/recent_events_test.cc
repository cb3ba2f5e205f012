// SPDX-License-Identifier: Apache-2.0
#include "broker/recent_events.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "event/event_testing.h"

namespace weir::broker {
namespace {

// A repair of the log leaves sequences out: no event is taken for another.
TEST(RecentEventsTest, FindsEventsBySequencesThatAreNotDense) {
  RecentEvents recent(100);
  std::map<std::uint64_t, event::EventPtr> kept;
  for (const std::uint64_t sequence : {3U, 4U, 7U, 8U, 20U, 21U, 22U}) {
    const event::EventPtr event = event::event_of("{}");
    event::assign_sequence(event, sequence);
    recent.add(event, 20);
    kept.emplace(sequence, event);
    if (kept.size() > 5) kept.erase(kept.begin());
  }
  for (std::uint64_t sequence = 0; sequence < 30; ++sequence) {
    const auto found = kept.find(sequence);
    EXPECT_EQ(recent.find(sequence), found == kept.end() ? nullptr : found->second) << sequence;
  }
}

}  // namespace
}  // namespace weir::broker
