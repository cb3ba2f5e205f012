// SPDX-License-Identifier: Apache-2.0
// Matcher: which subscriptions an event concerns, by the stateless parts of their filters.
//
// Every implementation reports exactly what brute_force reports. Single-threaded.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/strong_id.h"
#include "event/event.h"
#include "filter/evaluate.h"
#include "filter/filter.h"

namespace weir::match {

using SubscriptionId = base::StrongId<struct SubscriptionTag>;

struct Match {
  SubscriptionId subscription;
  // Index of the conjunction in the filter's normal form; 0 for a filter without change terms,
  // which is reported once, however many of its conjunctions hold.
  std::uint32_t conjunction = 0;

  auto operator<=>(const Match&) const = default;
};

// Since the matcher was made. What a matcher has no notion of stays 0.
struct MatchCounters {
  std::uint64_t events = 0;
  std::uint64_t candidates = 0;         // conjunctions that were reached
  std::uint64_t signature_rejects = 0;  // of these, stopped by a signature
  std::uint64_t verified = 0;           // looked at in full
  std::uint64_t matches = 0;            // conjunctions that hold
  std::uint64_t moves = 0;              // of conjunctions to where they are reached less often
  std::uint64_t placements = 0;         // how often such a move of all was begun
};

// What is there now. What a matcher has no notion of stays 0.
struct MatchSizes {
  std::size_t conjunctions = 0;
  std::size_t by_point = 0;  // conjunctions by what leads to them
  std::size_t by_range = 0;
  std::size_t by_door = 0;    // one of several points, a prefix, a suffix, any value
  std::size_t unindexed = 0;  // nothing does: every event is tried
  std::size_t always = 0;     // hold for every event
  std::size_t never = 0;      // hold for none
  std::size_t operands = 0;   // that they speak of
  std::size_t points = 0;     // values that they compare these with

  bool operator==(const MatchSizes&) const = default;
};

struct Addition {
  SubscriptionId id;
  filter::FilterPtr filter;
};

class Matcher {
 public:
  virtual ~Matcher() = default;

  // Requires an id that is not in use.
  virtual void add(SubscriptionId id, filter::FilterPtr filter) = 0;
  // The same for many at once, which may be faster and lead to a better index.
  virtual void add_all(std::span<const Addition> additions) {
    for (const Addition& addition : additions) add(addition.id, addition.filter);
  }
  // False if there is no such subscription.
  virtual bool remove(SubscriptionId id) = 0;
  // Another filter for a subscription that is there; false if there is none.
  virtual bool update(SubscriptionId id, filter::FilterPtr filter) {
    if (!remove(id)) return false;
    add(id, std::move(filter));
    return true;
  }
  virtual std::size_t size() const = 0;
  // What the matcher takes, besides the filters themselves.
  virtual std::size_t memory_bytes() const = 0;
  virtual const MatchCounters& counters() const = 0;
  // In constant time but for brute_force.
  virtual MatchSizes sizes() const = 0;

  // Appends the matches, ascending. For a filter with change terms: each conjunction whose
  // stateless part holds. The scorer answers for the text predicates.
  virtual void match(const event::Event& event, filter::Scorer& scorer,
                     std::vector<Match>& matches) = 0;
};

}  // namespace weir::match
