// SPDX-License-Identifier: Apache-2.0
#include "match/content_runs_testing.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/cpu_time_testing.h"
#include "filter/filter_testing.h"
#include "match/brute_force.h"

namespace weir::match {

Found match_all(Matcher& matcher, const std::vector<event::EventPtr>& events) {
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  Found found;
  for (std::size_t i = 0; i < events.size(); ++i) {
    matches.clear();
    matcher.match(*events[i], scorer, matches);
    found.match_count += matches.size();
    for (const Match& match : matches) {
      found.checksum += content_match_mix(i, match.subscription.value);
    }
  }
  return found;
}

double seconds_per_event(Matcher& matcher, const std::vector<event::EventPtr>& events, int rounds) {
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const double seconds = base::seconds_of([&] {
      for (const event::EventPtr& event : events) {
        matches.clear();
        matcher.match(*event, scorer, matches);
      }
    });
    best = std::min(best, seconds / static_cast<double>(events.size()));
  }
  return best;
}

double time_ratio(Matcher& matcher, Matcher& other, const std::vector<event::EventPtr>& events) {
  constexpr int kTurns = 8;
  double best = std::numeric_limits<double>::infinity();
  double best_of_other = best;
  for (int turn = 0; turn < kTurns; ++turn) {
    best = std::min(best, seconds_per_event(matcher, events, 2));
    best_of_other = std::min(best_of_other, seconds_per_event(other, events, 2));
  }
  return best / best_of_other;
}

void settle(ContentMatcher& matcher, const std::vector<event::EventPtr>& events) {
  filter::FixedScorer scorer;
  std::vector<Match> matches;
  std::uint64_t moves = 0;
  int quiet_rounds = 0;
  for (int round = 0; round < 100 && quiet_rounds < 5; ++round) {
    for (const event::EventPtr& event : events) {
      matches.clear();
      matcher.match(*event, scorer, matches);
    }
    quiet_rounds = matcher.counters().moves == moves ? quiet_rounds + 1 : 0;
    moves = matcher.counters().moves;
  }
}

std::map<std::string, double> beside_brute_force(const std::vector<std::string>& filters,
                                                 const std::vector<event::EventPtr>& events) {
  constexpr std::size_t kBaselineEventCount = 10;
  std::vector<Addition> additions;
  for (const std::string& filter : filters) {
    additions.push_back({SubscriptionId{additions.size()}, filter::filter_of(filter)});
  }
  ContentMatcher matcher;
  BruteForce baseline;
  matcher.add_all(additions);
  baseline.add_all(additions);
  const auto few_count = std::min(events.size(), kBaselineEventCount);
  const std::vector<event::EventPtr> few(events.begin(),
                                         events.begin() + static_cast<std::ptrdiff_t>(few_count));
  WEIR_CHECK(match_all(matcher, few).checksum == match_all(baseline, few).checksum);
  const double baseline_seconds = seconds_per_event(baseline, few, 1);
  settle(matcher, events);
  const std::uint64_t candidates = matcher.counters().candidates;
  const Found found = match_all(matcher, events);
  const auto per_event = [&](auto sum) {
    return static_cast<double>(sum) / static_cast<double>(events.size());
  };
  const double candidates_per_event = per_event(matcher.counters().candidates - candidates);
  const double seconds = seconds_per_event(matcher, events, 5);
  return {{"filters", static_cast<double>(filters.size())},
          {"seconds_per_event", seconds},
          {"events_per_cpu_s", 1 / seconds},
          {"x_brute_force", baseline_seconds / seconds},
          {"matches_per_event", per_event(found.match_count)},
          {"candidates_per_event", candidates_per_event},
          {"bytes_per_subscription",
           static_cast<double>(matcher.memory_bytes()) / static_cast<double>(filters.size())}};
}

content::SpecBatch compiled(ContentMatcher& matcher,
                            const std::vector<ContentConjunction>& conjunctions) {
  content::SpecBatch batch;
  std::uint64_t id = 0;
  for (const ContentConjunction& conjunction : conjunctions) {
    matcher.compile(SubscriptionId{id++}, to_filter(conjunction), batch);
  }
  return batch;
}

std::unique_ptr<ContentMatcher> loaded(const std::vector<ContentConjunction>& conjunctions) {
  auto matcher = std::make_unique<ContentMatcher>();
  content::SpecBatch batch = compiled(*matcher, conjunctions);
  matcher->place_in_bulk(batch);
  return matcher;
}

}  // namespace weir::match
