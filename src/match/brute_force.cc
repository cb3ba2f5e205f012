// SPDX-License-Identifier: Apache-2.0
#include "match/brute_force.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weir::match {

void BruteForce::add(SubscriptionId id, filter::FilterPtr filter) {
  const bool added = filters_.emplace(id, std::move(filter)).second;
  WEIR_CHECK(added);
}

bool BruteForce::remove(SubscriptionId id) { return filters_.erase(id) > 0; }

// A node of the map has three pointers and a colour besides.
std::size_t BruteForce::memory_bytes() const {
  return filters_.size() * (sizeof(decltype(filters_)::value_type) + 4 * sizeof(void*));
}

MatchSizes BruteForce::sizes() const {
  MatchSizes sizes;
  for (const auto& [id, filter] : filters_) {
    sizes.conjunctions += filter->normal_form().conjunctions.size();
  }
  sizes.unindexed = sizes.conjunctions;
  return sizes;
}

void BruteForce::match(const event::Event& event, filter::Scorer& scorer,
                       std::vector<Match>& matches) {
  const std::size_t before = matches.size();
  for (const auto& [id, filter] : filters_) {
    if (!filter->has_change()) {
      if (filter::evaluate(*filter->expr(), event, scorer)) matches.push_back({id, 0});
      continue;
    }
    const auto& conjunctions = filter->normal_form().conjunctions;
    for (std::uint32_t i = 0; i < conjunctions.size(); ++i) {
      if (holds(conjunctions[i], event, scorer)) matches.push_back({id, i});
    }
  }
  ++counters_.events;
  counters_.candidates += filters_.size();
  counters_.verified += filters_.size();
  counters_.matches += matches.size() - before;
}

bool holds(const filter::Conjunction& conjunction, const event::Event& event,
           filter::Scorer& scorer) {
  return std::ranges::all_of(conjunction.terms, [&](const filter::Term& term) {
    return filter::evaluate(*term.predicate, event, scorer) != term.negated;
  });
}

std::vector<std::uint32_t> holding(const filter::Filter& filter, const event::Event& event,
                                   filter::Scorer& scorer) {
  const auto& all = filter.normal_form().conjunctions;
  std::vector<std::uint32_t> conjunctions;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (holds(all[i], event, scorer)) conjunctions.push_back(i);
  }
  return conjunctions;
}

bool holds_but_for_score(const filter::Filter& filter, const event::Event& event,
                         filter::Scorer& scorer) {
  const auto holds_or_scores = [&](const filter::Term& term) {
    return std::holds_alternative<filter::About>(*term.predicate->predicate()) ||
           filter::evaluate(*term.predicate, event, scorer) != term.negated;
  };
  return std::ranges::any_of(filter.normal_form().conjunctions, [&](const auto& conjunction) {
    return std::ranges::all_of(conjunction.terms, holds_or_scores);
  });
}

}  // namespace weir::match
