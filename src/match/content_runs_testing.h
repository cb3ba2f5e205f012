// SPDX-License-Identifier: Apache-2.0
// What benchmarks of content matching do with a matcher: load it, let it get to know events, time
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
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

// Filters in the weir language, one a line, with their numbers as ids: loaded, settled and timed on
// the events, beside BruteForce, which evaluates every filter on every event. Both must find the
// same in some of them. Gives what was measured, by name.
std::map<std::string, double> beside_brute_force(const std::vector<std::string>& filters,
                                                 const std::vector<event::EventPtr>& events);

// All of them, with their indexes as ids.
content::SpecBatch compiled(ContentMatcher& matcher,
                            const std::vector<ContentConjunction>& conjunctions);
std::unique_ptr<ContentMatcher> loaded(const std::vector<ContentConjunction>& conjunctions);

}  // namespace weir::match
