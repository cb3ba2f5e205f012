// SPDX-License-Identifier: Apache-2.0
#include "match/content_matcher.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace weir::match {

using content::Access;
using content::Check;
using content::ConjunctionId;
using content::kNoId;
using content::PointView;
using content::SlotId;

struct ContentMatcher::CompiledTerm {
  Access access;     // of the predicate, also if the term is negated
  bool usable;       // the access may be used: the term is not negated
  double share = 1;  // a guess at the part of all events of which the term holds
  Check check = {};
};

void ContentMatcher::add(SubscriptionId id, filter::FilterPtr filter) {
  const auto [place, added] = subscriptions_.try_emplace(id);
  WEIR_CHECK(added);
  Subscription& subscription = place->second;
  subscription.filter = std::move(filter);
  const bool has_change = subscription.filter->has_change();
  std::uint32_t index = 0;
  for (const auto& conjunction : subscription.filter->normal_form().conjunctions) {
    subscription.places.push_back(add_conjunction(conjunction, {id, has_change ? index : 0}));
    ++index;
  }
}

bool ContentMatcher::remove(SubscriptionId id) {
  const auto found = subscriptions_.find(id);
  if (found == subscriptions_.end()) return false;
  const Subscription& subscription = found->second;
  for (std::size_t i = 0; i < subscription.places.size(); ++i) {
    remove_conjunction(subscription.filter->normal_form().conjunctions[i], subscription.places[i]);
  }
  subscriptions_.erase(found);
  return true;
}

ContentMatcher::Place ContentMatcher::add_conjunction(const filter::Conjunction& conjunction,
                                                      Match match) {
  std::vector<CompiledTerm> terms;
  for (const filter::Term& term : conjunction.terms) terms.push_back(compile(term));

  ConjunctionId id = static_cast<ConjunctionId>(conjunctions_.size());
  if (free_.empty()) {
    conjunctions_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }

  const auto usable_first = [](const CompiledTerm& term) {
    const bool usable = term.usable && term.access.kind != Access::Kind::kNone;
    return std::tuple(!usable, term.share, term.access.kind);
  };
  const auto best = std::ranges::min_element(terms, {}, usable_first);
  Place place{id, kNoId};
  if (best == terms.end() || std::get<0>(usable_first(*best))) {
    index_.add({}, id);
  } else {
    place.access_term = static_cast<std::uint32_t>(best - terms.begin());
    index_.add(best->access, id);
    if (best->access.implies) terms.erase(best);
  }
  store(id, match, std::move(terms));
  return place;
}

void ContentMatcher::remove_conjunction(const filter::Conjunction& conjunction,
                                        const Place& place) {
  index_.remove(
      place.access_term == kNoId ? Access() : access_of(conjunction.terms[place.access_term]),
      place.id);
  for (const filter::Term& term : conjunction.terms) release(term);
  conjunctions_[place.id] = {};
  free_.push_back(place.id);
}

ContentMatcher::CompiledTerm ContentMatcher::compile(const filter::Term& term) {
  const filter::Predicate& predicate = *term.predicate->predicate();
  std::array slots = {kNoId, kNoId};
  std::size_t slot_count = 0;
  content::for_each_operand(predicate, [&](const filter::Operand& operand) {
    slots[slot_count++] = operands_.acquire(operand);
  });
  CompiledTerm compiled{.access = content::access_of(predicate, slots[0]), .usable = !term.negated};
  content::PointId last_point = kNoId;
  for (const PointView& point : compiled.access.points) last_point = points_.acquire(point);
  index_.learn(compiled.access);
  compiled.share = index_.share(compiled.access);
  if (term.negated) compiled.share = 1 - compiled.share;
  compiled.check = Check({.predicate = &predicate,
                          .negated = term.negated,
                          .slot = slots[0],
                          .right = slots[1],
                          .point = last_point});
  return compiled;
}

void ContentMatcher::release(const filter::Term& term) {
  for (const PointView& point : access_of(term).points) points_.release(point);
  content::for_each_operand(*term.predicate->predicate(), [&](const filter::Operand& operand) {
    if (const auto freed = operands_.release(operand)) index_.forget(*freed);
  });
}

// As it was when the term was compiled.
Access ContentMatcher::access_of(const filter::Term& term) const {
  const filter::Predicate& predicate = *term.predicate->predicate();
  SlotId first = kNoId;
  content::for_each_operand(predicate, [&](const filter::Operand& operand) {
    if (first == kNoId) first = operands_.find(operand);
  });
  return content::access_of(predicate, first);
}

void ContentMatcher::store(ConjunctionId id, Match match, std::vector<CompiledTerm> terms) {
  std::ranges::sort(terms, {}, [](const CompiledTerm& term) {
    return std::pair(term.check.cost_rank(), term.share);
  });
  Conjunction& conjunction = conjunctions_[id];
  conjunction = {.match = match};
  if (terms.empty()) return;
  conjunction.first = terms.front().check;
  conjunction.rest_count = static_cast<std::uint32_t>(terms.size() - 1);
  if (conjunction.rest_count == 0) return;
  conjunction.rest = std::make_unique<Check[]>(conjunction.rest_count);
  std::ranges::transform(terms.begin() + 1, terms.end(), conjunction.rest.get(),
                         &CompiledTerm::check);
}

void ContentMatcher::match(const event::Event& event, filter::Scorer& scorer,
                           std::vector<Match>& matches) {
  // Candidates lie all over memory, so they are fetched some steps ahead.
  constexpr std::size_t kPrefetchDistance = 8;
  ++counters_.events;
  values_.begin(event);
  candidates_.clear();
  index_.for_each_candidate(values_, [&](ConjunctionId id) { candidates_.push_back(id); });
  counters_.candidates += candidates_.size();

  const auto first = static_cast<std::ptrdiff_t>(matches.size());
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (i + kPrefetchDistance < candidates_.size()) {
      __builtin_prefetch(&conjunctions_[candidates_[i + kPrefetchDistance]]);
    }
    const Conjunction& conjunction = conjunctions_[candidates_[i]];
    if (holds(conjunction, scorer)) matches.push_back(conjunction.match);
  }
  counters_.matches += matches.size() - static_cast<std::size_t>(first);
  // A filter without change terms is reported once: all its conjunctions report the same.
  std::sort(matches.begin() + first, matches.end());
  matches.erase(std::unique(matches.begin() + first, matches.end()), matches.end());
}

bool ContentMatcher::holds(const Conjunction& conjunction, filter::Scorer& scorer) {
  ++counters_.checks;
  if (!conjunction.first.holds(values_, scorer)) return false;
  for (std::uint32_t i = 0; i < conjunction.rest_count; ++i) {
    ++counters_.checks;
    if (!conjunction.rest[i].holds(values_, scorer)) return false;
  }
  return true;
}

ContentSizes ContentMatcher::sizes() const {
  return {.conjunctions = conjunctions_.size() - free_.size(),
          .by_point = index_.count(Access::Kind::kPoint),
          .by_prefix = index_.count(Access::Kind::kPrefix),
          .by_range = index_.count(Access::Kind::kRange),
          .by_presence = index_.count(Access::Kind::kPresent),
          .unindexed = index_.count(Access::Kind::kNone),
          .operands = operands_.slot_count(),
          .points = points_.point_count()};
}

}  // namespace weir::match
