// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_composites.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>
#include <variant>

#include "base/check.h"
#include "engine/shared_change.h"
#include "filter/print.h"

namespace weir::engine {
namespace {

constexpr base::Instant kLongAgo = {std::numeric_limits<std::int64_t>::min()};

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

bool is_leaf(const filter::ExprPtr& expr) {
  const filter::Change& change = change_of(expr);
  return std::holds_alternative<filter::Moves>(change.movement) && change.keys.empty() &&
         !change.silent_for && !change.at_most_every && !change.with_previous;
}

match::LeafCondition condition_of(const filter::Moves& moves) {
  using Parts = match::LeafCondition::Parts;
  const auto movement_of = [&](const filter::Threshold& threshold, bool percent) {
    return match::Movement{direction_of(moves.direction), percent, threshold.inclusive};
  };
  match::LeafCondition condition;
  const filter::Threshold& first = moves.absolute ? *moves.absolute : *moves.percent;
  condition.movement = movement_of(first, !moves.absolute);
  condition.threshold = first.amount;
  if (moves.absolute && moves.percent) {
    condition.second_movement = movement_of(*moves.percent, true);
    condition.second_threshold = moves.percent->amount;
    condition.parts = moves.either ? Parts::kEither : Parts::kBoth;
  }
  return condition;
}

// Which events are readings of the change in the conjunction.
filter::ExprPtr readings_of(const filter::Conjunction& conjunction, const filter::Change& change) {
  std::vector<filter::ExprPtr> terms = {filter::to_expr({conjunction.terms, {}})};
  if (conjunction.terms.empty()) terms.clear();
  if (change.condition != nullptr) terms.push_back(change.condition);
  return filter::make_and(std::move(terms));
}

SubscriptionId matcher_id(match::SourceNumber number) {
  return {SharedComposites::kMatcherIdMin + number};
}

}  // namespace

bool SharedComposites::takes(const filter::Filter& filter, const EngineOptions& limits) {
  const auto& conjunctions = filter.normal_form().conjunctions;
  return !conjunctions.empty() && conjunctions.size() <= limits.change_key_count_max &&
         !limits.change_idle && filter.text_fields().empty() &&
         std::ranges::all_of(conjunctions, [](const filter::Conjunction& conjunction) {
           return !conjunction.changes.empty() && std::ranges::all_of(conjunction.changes, is_leaf);
         });
}

std::unique_ptr<SharedComposites::Member> SharedComposites::join(const Newcomer& newcomer) {
  const auto states = newcomer.state->conjunction_states();
  if (!states) return nullptr;
  auto member = std::make_unique<Member>();
  member->id = newcomer.id;
  member->floor = newcomer.state_at;
  if (!use_sources(newcomer, *member)) return nullptr;
  std::vector<match::CompositeConjunction> definition;
  const auto& conjunctions = newcomer.filter->normal_form().conjunctions;
  for (std::size_t i = 0; i < conjunctions.size(); ++i) {
    auto& leaves = definition.emplace_back();
    for (std::size_t j = 0; j < conjunctions[i].changes.size(); ++j) {
      const auto& moves = std::get<filter::Moves>(change_of(conjunctions[i].changes[j]).movement);
      leaves.push_back({member->conjunctions[i][j].source, condition_of(moves)});
    }
  }
  index_.add(member->id.value, definition, match::Newcomer::kKnowsNothing, newcomer.initial);
  restore(*states, *member);
  return member;
}

// All or none.
bool SharedComposites::use_sources(const Newcomer& newcomer, Member& member) {
  for (const filter::Conjunction& conjunction : newcomer.filter->normal_form().conjunctions) {
    auto& leaves = member.conjunctions.emplace_back();
    for (const filter::ExprPtr& change : conjunction.changes) {
      const auto source = use_source(conjunction, change_of(change), newcomer.gate);
      if (!source) {
        release_sources(member);
        return false;
      }
      leaves.push_back({*source});
      member.sources.push_back(*source);
    }
  }
  std::ranges::sort(member.sources);
  const auto repeated = std::ranges::unique(member.sources);
  member.sources.erase(repeated.begin(), repeated.end());
  return true;
}

void SharedComposites::release_sources(const Member& member) {
  for (const auto& leaves : member.conjunctions) {
    for (const Member::Leaf& leaf : leaves) release_source(leaf.source);
  }
}

std::optional<match::SourceNumber> SharedComposites::use_source(
    const filter::Conjunction& conjunction, const filter::Change& change,
    const std::shared_ptr<const Gate>& gate) {
  const filter::ExprPtr readings = readings_of(conjunction, change);
  const auto [key, is_new] = numbers_.emplace(
      SourceKey{filter::to_text(*readings), filter::to_text(change.value), gate.get()}, 0);
  if (is_new) {
    auto filter = filter::Filter::create({.expr = readings, .distinct = {}, .warnings = {}});
    if (!filter) {
      numbers_.erase(key);
      return std::nullopt;
    }
    key->second = take_number();
    Source& source = sources_[key->second];
    source.change.value = change.value;
    source.gate = gate;
    source.key = key;
    matcher_->add(matcher_id(key->second), std::move(*filter));
  }
  ++sources_[key->second].use_count;
  return key->second;
}

match::SourceNumber SharedComposites::take_number() {
  if (free_numbers_.empty()) {
    sources_.emplace_back();
    return static_cast<match::SourceNumber>(sources_.size() - 1);
  }
  const match::SourceNumber number = free_numbers_.back();
  free_numbers_.pop_back();
  return number;
}

void SharedComposites::release_source(match::SourceNumber number) {
  Source& source = sources_[number];
  if (--source.use_count > 0) return;
  matcher_->remove(matcher_id(number));
  numbers_.erase(source.key);
  source = {};
  free_numbers_.push_back(number);
}

void SharedComposites::restore(const match::ChangeFilter::ConjunctionStates& states,
                               Member& member) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    member.read_at.emplace_back();
    if (!states[i]) continue;
    member.read_at[i] = states[i]->read_at;
    for (std::size_t j = 0; j < states[i]->terms.size(); ++j) {
      const match::ChangeFilter::TermState& term = states[i]->terms[j];
      if (!term.current) continue;
      WEIR_CHECK(term.order < kOrderMin);
      WEIR_CHECK(index_.restore(member.id.value, {i, j}, term.last, *term.current));
      member.conjunctions[i][j].last_at = term.last_at;
      member.own_events.push_back({{i, j}, term.order, term.event});
    }
  }
}

void SharedComposites::leave(const Member& member) {
  WEIR_CHECK(index_.remove(member.id.value));
  release_sources(member);
}

const match::CompositeFiring& SharedComposites::update(std::span<const match::Match> matches,
                                                       const event::EventPtr& event,
                                                       base::Instant now,
                                                       match::TextReader& reader) {
  readings_.clear();
  read_.clear();
  unread_.clear();
  for (const match::Match& match : matches) {
    read(static_cast<match::SourceNumber>(match.subscription.value - kMatcherIdMin), event, now,
         reader);
  }
  ++next_order_;
  tally_.count(read_, unread_);
  index_.update(readings_, firing_);
  return firing_;
}

void SharedComposites::read(match::SourceNumber number, const event::EventPtr& event,
                            base::Instant now, match::TextReader& reader) {
  Source& source = sources_[number];
  if (source.gate && !(*source.gate)(*event)) return;
  const auto sample = match::sample_of(source.change, *event, reader);
  if (!sample) return unread_.push_back(number);
  read_.push_back(number);
  readings_.push_back({number, std::get<double>(*sample)});
  source.event = event;
  source.order = next_order_;
  source.read_at = now;
  ++source.reading_count;
}

bool SharedComposites::is_apart(const Member& member, match::LeafPlace place) const {
  return index_.view(member.id.value, place)->is_apart;
}

// Of a leaf with a value. Without an event if that was delivered before it was restored.
SharedComposites::Current SharedComposites::current(const Member& member,
                                                    match::LeafPlace place) const {
  const auto own = std::ranges::lower_bound(member.own_events, place, {}, &Member::OwnEvent::place);
  if (own != member.own_events.end() && own->place == place && is_apart(member, place)) {
    return {own->order, own->event};
  }
  const Source& source = sources_[member.conjunctions[place.conjunction][place.leaf].source];
  return {source.order, source.event};
}

void SharedComposites::deliver(Member& member, std::span<const std::uint32_t> conjunctions,
                               base::Instant now, std::vector<event::EventPtr>& events) const {
  std::erase_if(member.own_events,
                [&](const Member::OwnEvent& own) { return !is_apart(member, own.place); });
  std::vector<Current> fired;
  for (const std::uint32_t conjunction : conjunctions) {
    for (std::size_t i = 0; i < member.conjunctions[conjunction].size(); ++i) {
      take(member, {conjunction, i}, now);
      Current current = this->current(member, {conjunction, i});
      if (current.event != nullptr) fired.push_back(std::move(current));
    }
  }
  std::ranges::sort(fired, {}, &Current::order);
  const auto repeated = std::ranges::unique(fired, {}, &Current::order);
  fired.erase(repeated.begin(), repeated.end());
  for (const Current& current : fired) {
    if (!std::ranges::binary_search(member.delivered, current.order)) {
      events.push_back(current.event);
    }
  }
  remember_delivered(fired, member);
}

// As long as it is current anywhere.
void SharedComposites::remember_delivered(const std::vector<Current>& fired, Member& member) const {
  for (const Current& current : fired) member.delivered.push_back(current.order);
  std::vector<std::uint64_t> orders;
  for (const match::SourceNumber source : member.sources) orders.push_back(sources_[source].order);
  for (const Member::OwnEvent& own : member.own_events) {
    if (own.event != nullptr) orders.push_back(own.order);
  }
  std::ranges::sort(orders);
  std::erase_if(member.delivered,
                [&](std::uint64_t order) { return !std::ranges::binary_search(orders, order); });
  std::ranges::sort(member.delivered);
  const auto repeated = std::ranges::unique(member.delivered);
  member.delivered.erase(repeated.begin(), repeated.end());
}

void SharedComposites::take(Member& member, match::LeafPlace place, base::Instant now) {
  member.conjunctions[place.conjunction][place.leaf].last_at = std::max(now, member.floor);
}

bool SharedComposites::forget(Member& member) {
  bool known = index_.forget(member.id.value);
  for (auto& read_at : member.read_at) known = std::exchange(read_at, std::nullopt) || known;
  member.own_events.clear();
  member.delivered.clear();
  return known;
}

void SharedComposites::copy_state(const Member& member, match::ChangeFilter& to) const {
  match::ChangeFilter::ConjunctionStates states;
  for (std::size_t i = 0; i < member.conjunctions.size(); ++i) {
    states.push_back(state_of(member, i));
  }
  to.put(states);
}

std::optional<match::ChangeFilter::ConjunctionState> SharedComposites::state_of(
    const Member& member, std::size_t conjunction) const {
  const auto& leaves = member.conjunctions[conjunction];
  std::optional<base::Instant> read_at = member.read_at[conjunction];
  match::ChangeFilter::ConjunctionState state;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto view = index_.view(member.id.value, {conjunction, i});
    state.terms.push_back(term_state(member, {conjunction, i}, *view));
    if (view->is_apart) continue;
    const base::Instant at = std::max(sources_[leaves[i].source].read_at, member.floor);
    read_at = std::max(read_at.value_or(kLongAgo), at);
  }
  if (!read_at) return std::nullopt;
  state.read_at = *read_at;
  return state;
}

match::ChangeFilter::TermState SharedComposites::term_state(
    const Member& member, match::LeafPlace place,
    const match::CompositeIndex::LeafView& view) const {
  match::ChangeFilter::TermState state{
      .last = view.last,
      .last_at = member.conjunctions[place.conjunction][place.leaf].last_at,
      .current = view.current};
  if (!view.current) return state;
  Current current = this->current(member, place);
  if (std::ranges::binary_search(member.delivered, current.order)) return state;
  state.order = current.order;
  state.event = std::move(current.event);
  return state;
}

std::uint64_t SharedComposites::revision(const Member& member) const {
  std::uint64_t sum = 0;
  for (const match::SourceNumber source : member.sources) sum += sources_[source].reading_count;
  return sum;
}

std::size_t SharedComposites::memory_bytes() const {
  std::size_t bytes = index_.memory_bytes() + tally_.memory_bytes() +
                      sources_.capacity() * sizeof(Source) +
                      free_numbers_.capacity() * sizeof(match::SourceNumber);
  for (const auto& [key, number] : numbers_) {
    bytes += sizeof(key) + key.condition.capacity() + key.value.capacity();
  }
  return bytes;
}

}  // namespace weir::engine
