// SPDX-License-Identifier: Apache-2.0
// What benchmarks of content matching do with a matcher: load it, let it get to know events, time
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "event/event.h"
#include "match/content_matcher.h"
#include "match/content_workload_testing.h"

namespace weir::match {

struct Found {
  std::uint64_t checksum = 0;
  std::size_t match_count = 0;
};
Found match_all(Matcher& matcher, const std::vector<event::EventPtr>& events);

// CPU seconds per event, the best of several rounds.
double seconds_per_event(Matcher& matcher, const std::vector<event::EventPtr>& events, int rounds);
// What one takes of the other's time: by turns, since the machine is not always as quick.
double time_ratio(Matcher& matcher, Matcher& other, const std::vector<event::EventPtr>& events);

// Until the matcher has no more reason to move anything.
void settle(ContentMatcher& matcher, const std::vector<event::EventPtr>& events);

// All of them, with their indexes as ids.
content::SpecBatch compiled(ContentMatcher& matcher,
                            const std::vector<ContentConjunction>& conjunctions);
std::unique_ptr<ContentMatcher> loaded(const std::vector<ContentConjunction>& conjunctions);

}  // namespace weir::match
