// SPDX-License-Identifier: Apache-2.0
// BruteForce: evaluates every subscription on every event, by definition. The oracle of all others.
//
// Costs one evaluation per subscription and event.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "match/matcher.h"

namespace weir::match {

class BruteForce final : public Matcher {
 public:
  void add(SubscriptionId id, filter::FilterPtr filter) override;
  bool remove(SubscriptionId id) override;
  std::size_t size() const override { return filters_.size(); }
  void match(const event::Event& event, filter::Scorer& scorer,
             std::vector<Match>& matches) override;
  std::size_t memory_bytes() const override;
  const MatchCounters& counters() const override { return counters_; }
  MatchSizes sizes() const override;

 private:
  std::map<SubscriptionId, filter::FilterPtr> filters_;
  MatchCounters counters_;
};

// Whether the stateless part of a conjunction holds.
bool holds(const filter::Conjunction& conjunction, const event::Event& event,
           filter::Scorer& scorer);

// The conjunctions whose stateless part holds, ascending.
std::vector<std::uint32_t> holding(const filter::Filter& filter, const event::Event& event,
                                   filter::Scorer& scorer);

// Whether some conjunction's stateless part would hold if no text predicate mattered.
bool holds_but_for_score(const filter::Filter& filter, const event::Event& event,
                         filter::Scorer& scorer);

}  // namespace weir::match
