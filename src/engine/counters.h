// SPDX-License-Identifier: Apache-2.0
// Counters: what became of every event, for each subscription and in total.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir::engine {

// What becomes of one event for one subscription when it is published.
enum class Outcome : std::uint8_t {
  kPassed,           // delivered at once
  kNoMatch,          // the filter is about other events
  kBelowScore,       // only a text predicate kept it back, by its score or its words
  kNoValue,          // a change term found no value that it can judge
  kWithinThreshold,  // a change term is not satisfied
  kHeld,             // before the end of an interval (at most every); newer values replace it
  kDuplicate,        // its keys were delivered within the window
};

std::string_view to_string(Outcome outcome);

// The outcomes of one subscription add up to `published`.
struct SubscriptionCounters {
  std::uint64_t published = 0;  // events since the subscription began, ingest duplicates left out
  std::uint64_t passed = 0;
  std::uint64_t no_match = 0;
  std::uint64_t below_score = 0;
  std::uint64_t no_value = 0;
  std::uint64_t within_threshold = 0;
  std::uint64_t held = 0;
  std::uint64_t duplicate = 0;

  std::uint64_t delivered = 0;       // events handed out, also those held before
  std::uint64_t state_overflow = 0;  // events let through because a limit of keys was reached
  // Events that were too costly for the owner's filters to be judged by this one: they are no
  // match.
  std::uint64_t over_budget = 0;

  bool operator==(const SubscriptionCounters&) const = default;
};

// Over all change filters there ever were that share what they remember.
struct ChangeCounters {
  std::uint64_t readings = 0;
  std::uint64_t quiet = 0;  // of these, how many nobody was told of
  std::uint64_t fired = 0;  // subscriptions that were told of one, also late
};

// Over all subscriptions there ever were.
struct EngineCounters {
  std::uint64_t received = 0;           // publish() calls
  std::uint64_t ingest_duplicates = 0;  // dropped before matching: same source and id
  std::uint64_t clock_backward = 0;     // calls whose instant lay before an earlier one
  std::uint64_t deliveries = 0;         // groups of events handed out
  SubscriptionCounters outcomes;        // summed
};

}  // namespace weir::engine
