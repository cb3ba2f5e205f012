// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_composites.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "engine/shared_change.h"
#include "match/event_key.h"

namespace weir::engine {
namespace {

constexpr base::Instant kLongAgo = {std::numeric_limits<std::int64_t>::min()};

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

const std::vector<filter::Operand>& keys_of(const filter::Filter& filter) {
  return change_of(filter.normal_form().conjunctions.front().changes.front()).keys;
}

bool is_leaf(const filter::Change& change) {
  return std::holds_alternative<filter::Moves>(change.movement) && !change.silent_for &&
         !change.at_most_every && !change.with_previous;
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

template <typename Number>
void sort_once(std::vector<Number>& numbers) {
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
}

}  // namespace

// An event has one key in all of a member's conjunctions.
bool SharedComposites::takes(const filter::Filter& filter, const EngineOptions& limits) {
  const auto& conjunctions = filter.normal_form().conjunctions;
  return !conjunctions.empty() && conjunctions.size() <= limits.change_key_count_max &&
         !limits.change_idle && filter.text_sources().empty() &&
         std::ranges::all_of(conjunctions, [&](const filter::Conjunction& conjunction) {
           return !conjunction.changes.empty() &&
                  std::ranges::all_of(conjunction.changes, [&](const filter::ExprPtr& change) {
                    return is_leaf(change_of(change)) && change_of(change).keys == keys_of(filter);
                  });
         });
}

std::unique_ptr<SharedComposites::Member> SharedComposites::join(const Newcomer& newcomer) {
  const auto states = newcomer.state->conjunction_states();
  if (!states) return nullptr;
  auto member = std::make_unique<Member>();
  member->id = newcomer.id;
  member->filter = newcomer.filter;
  member->initial = newcomer.initial;
  member->floor = newcomer.state_at;
  if (!use_streams(newcomer, *member)) return nullptr;
  const bool has_keys = !keys_of(*newcomer.filter).empty();
  for (const auto& [key, state] : *states) {
    if ((!has_keys && !key.empty()) || !has_room(*member)) {
      leave(*member);
      return nullptr;
    }
    restore(state, instance_of(*member, key));
  }
  if (has_keys) {
    streams_.enter(*member);
  } else {
    instance_of(*member, {});
  }
  return member;
}

// All or none.
bool SharedComposites::use_streams(const Newcomer& newcomer, Member& member) {
  for (const filter::Conjunction& conjunction : newcomer.filter->normal_form().conjunctions) {
    for (const filter::ExprPtr& change : conjunction.changes) {
      const auto stream = streams_.use(conjunction, change_of(change), newcomer.gate);
      if (!stream) {
        release_streams(member);
        return false;
      }
      member.leaf_streams.push_back(*stream);
    }
  }
  member.streams = member.leaf_streams;
  sort_once(member.streams);
  return true;
}

void SharedComposites::release_streams(const Member& member) {
  for (const StreamNumber stream : member.leaf_streams) streams_.release(stream);
}

// For one more key, and then for one more that an event may bring before it must leave.
bool SharedComposites::has_room(const Member& member) const {
  const bool has_keys = !keys_of(*member.filter).empty();
  const std::size_t count = member.instances.size() + (has_keys ? 2 : 1);
  return count <= key_count_max_ / member.filter->normal_form().conjunctions.size();
}

// Requires room if there is none yet.
SharedComposites::Instance& SharedComposites::instance_of(Member& member, std::string_view key) {
  const auto known = member.instances.find(key);
  if (known != member.instances.end()) return known->second;
  Instance& instance = member.instances.emplace(key, Instance{.member = &member}).first->second;
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<std::uint32_t>(instances_.size()));
    instances_.push_back(nullptr);
  }
  instance.number = free_numbers_.back();
  free_numbers_.pop_back();
  instances_[instance.number] = &instance;
  index_.add(instance.number, place(member, key, instance),
             {.initial = member.initial, .floor = member.floor});
  return instance;
}

std::vector<match::CompositeConjunction> SharedComposites::place(const Member& member,
                                                                 std::string_view key,
                                                                 Instance& instance) {
  std::vector<match::CompositeConjunction> definition;
  auto stream = member.leaf_streams.begin();
  for (const filter::Conjunction& conjunction : member.filter->normal_form().conjunctions) {
    auto& leaves = instance.conjunctions.emplace_back();
    auto& conditions = definition.emplace_back();
    for (const filter::ExprPtr& change : conjunction.changes) {
      const match::SourceNumber source = streams_.use_source(*stream++, key);
      leaves.push_back({source});
      instance.sources.push_back(source);
      conditions.push_back(
          {source, condition_of(std::get<filter::Moves>(change_of(change).movement))});
    }
  }
  sort_once(instance.sources);
  instance.read_at.resize(definition.size());
  return definition;
}

void SharedComposites::restore(const match::ChangeFilter::ConjunctionStates& states,
                               Instance& instance) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i]) continue;
    instance.read_at[i] = states[i]->read_at;
    for (std::size_t j = 0; j < states[i]->terms.size(); ++j) {
      const match::ChangeFilter::TermState& term = states[i]->terms[j];
      if (!term.current) continue;
      WEIR_CHECK(term.order < kOrderMin);
      WEIR_CHECK(index_.restore(instance.number, {i, j},
                                {.current = *term.current,
                                 .last = term.last,
                                 .last_at = term.last_at,
                                 .read_at = states[i]->read_at}));
      instance.conjunctions[i][j].last_at = term.last_at;
      instance.own_events.push_back({{i, j}, term.order, term.event});
    }
  }
}

void SharedComposites::leave(const Member& member) {
  streams_.exit(member);
  for (const auto& [key, instance] : member.instances) {
    WEIR_CHECK(index_.remove(instance.number));
    instances_[instance.number] = nullptr;
    free_numbers_.push_back(instance.number);
    for (const auto& leaves : instance.conjunctions) {
      for (const Member::Leaf& leaf : leaves) streams_.release_source(leaf.source);
    }
  }
  release_streams(member);
}

std::span<SharedComposites::Member* const> SharedComposites::read(
    std::span<const match::Match> matches, const event::EventPtr& event, base::Instant now,
    match::TextReader& reader) {
  readings_.clear();
  read_.clear();
  unread_.clear();
  leaving_.clear();
  for (const match::Match& match : matches) {
    read(static_cast<StreamNumber>(match.subscription.value - CompositeStreams::kMatcherIdMin),
         event, now, reader);
  }
  ++next_order_;
  return leaving_;
}

void SharedComposites::read(StreamNumber stream, const event::EventPtr& event, base::Instant now,
                            match::TextReader& reader) {
  if (!streams_.admits(stream, *event)) return;
  const auto sample = match::sample_of(streams_.change(stream), *event, reader);
  if (!sample) return unread_.push_back(stream);
  read_.push_back(stream);
  streams_.count_reading(stream);
  const std::string key = match::event_key(streams_.change(stream).keys, *event);
  streams_.introduce(stream, key, [&](Member& member) {
    if (member.must_leave || member.instances.contains(key)) return;
    if (has_room(member)) {
      instance_of(member, key);
    } else {
      member.must_leave = true;
      leaving_.push_back(&member);
    }
  });
  const auto number = streams_.find_source(stream, key);
  if (!number) return;
  readings_.push_back({*number, std::get<double>(*sample)});
  CompositeStreams::Source& source = streams_.source(*number);
  source.event = event;
  source.order = next_order_;
  source.read_at = now;
}

std::span<const SharedComposites::Fired> SharedComposites::update(base::Instant now) {
  tally_.count(read_, unread_);
  index_.update(readings_, now, firing_);
  for (const match::TakenLeaf& taken : firing_.taken) take(*instances_[taken.id], taken.place, now);
  fired_.clear();
  const std::span<const std::uint32_t> conjunctions = firing_.conjunctions;
  for (const match::FiredComposite& fired : firing_.composites) {
    fired_.push_back(
        {instances_[fired.id], conjunctions.subspan(fired.begin, fired.end - fired.begin)});
  }
  std::ranges::sort(fired_, {}, [](const Fired& fired) { return fired.instance->member->id; });
  return fired_;
}

bool SharedComposites::is_apart(const Instance& instance, match::LeafPlace place) const {
  return index_.view(instance.number, place)->is_apart;
}

// Of a leaf with a value. Without an event if that was delivered before it was restored.
SharedComposites::Current SharedComposites::current(const Instance& instance,
                                                    match::LeafPlace place) const {
  const auto own =
      std::ranges::lower_bound(instance.own_events, place, {}, &Member::OwnEvent::place);
  if (own != instance.own_events.end() && own->place == place && is_apart(instance, place)) {
    return {own->order, own->event};
  }
  const auto& source = streams_.source(instance.conjunctions[place.conjunction][place.leaf].source);
  return {source.order, source.event};
}

void SharedComposites::deliver(Instance& instance, std::span<const std::uint32_t> conjunctions,
                               base::Instant now, std::vector<event::EventPtr>& events) const {
  std::erase_if(instance.own_events,
                [&](const Member::OwnEvent& own) { return !is_apart(instance, own.place); });
  std::vector<Current> fired;
  for (const std::uint32_t conjunction : conjunctions) {
    for (std::size_t i = 0; i < instance.conjunctions[conjunction].size(); ++i) {
      take(instance, {conjunction, i}, now);
      Current current = this->current(instance, {conjunction, i});
      if (current.event != nullptr) fired.push_back(std::move(current));
    }
  }
  std::ranges::sort(fired, {}, &Current::order);
  const auto repeated = std::ranges::unique(fired, {}, &Current::order);
  fired.erase(repeated.begin(), repeated.end());
  for (const Current& current : fired) {
    if (!std::ranges::binary_search(instance.delivered, current.order)) {
      events.push_back(current.event);
    }
  }
  remember_delivered(fired, instance);
}

// As long as it is current anywhere.
void SharedComposites::remember_delivered(const std::vector<Current>& fired,
                                          Instance& instance) const {
  for (const Current& current : fired) instance.delivered.push_back(current.order);
  std::vector<std::uint64_t> orders;
  for (const match::SourceNumber source : instance.sources) {
    orders.push_back(streams_.source(source).order);
  }
  for (const Member::OwnEvent& own : instance.own_events) {
    if (own.event != nullptr) orders.push_back(own.order);
  }
  std::ranges::sort(orders);
  std::erase_if(instance.delivered,
                [&](std::uint64_t order) { return !std::ranges::binary_search(orders, order); });
  sort_once(instance.delivered);
}

void SharedComposites::take(Instance& instance, match::LeafPlace place, base::Instant now) const {
  instance.conjunctions[place.conjunction][place.leaf].last_at =
      std::max(now, instance.member->floor);
}

bool SharedComposites::forget(Member& member, const event::Event& event) {
  const auto found = member.instances.find(match::event_key(keys_of(*member.filter), event));
  if (found == member.instances.end()) return false;
  Instance& instance = found->second;
  bool known = index_.forget(instance.number);
  for (auto& read_at : instance.read_at) known = std::exchange(read_at, std::nullopt) || known;
  instance.own_events.clear();
  instance.delivered.clear();
  return known;
}

void SharedComposites::copy_state(const Member& member, const event::Event* only,
                                  match::ChangeFilter& to) const {
  if (only == nullptr) {
    for (const auto& [key, instance] : member.instances) copy_state(key, instance, to);
    return;
  }
  const auto found = member.instances.find(match::event_key(keys_of(*member.filter), *only));
  if (found != member.instances.end()) copy_state(found->first, found->second, to);
}

void SharedComposites::copy_state(std::string_view key, const Instance& instance,
                                  match::ChangeFilter& to) const {
  match::ChangeFilter::ConjunctionStates states;
  for (std::size_t i = 0; i < instance.conjunctions.size(); ++i) {
    states.push_back(state_of(instance, i));
  }
  to.put(key, states);
}

std::optional<match::ChangeFilter::ConjunctionState> SharedComposites::state_of(
    const Instance& instance, std::size_t conjunction) const {
  const auto& leaves = instance.conjunctions[conjunction];
  std::optional<base::Instant> read_at = instance.read_at[conjunction];
  match::ChangeFilter::ConjunctionState state;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto view = index_.view(instance.number, {conjunction, i});
    state.terms.push_back(term_state(instance, {conjunction, i}, *view));
    if (view->is_apart) continue;
    const base::Instant at =
        std::max(streams_.source(leaves[i].source).read_at, instance.member->floor);
    read_at = std::max(read_at.value_or(kLongAgo), at);
  }
  if (!read_at) return std::nullopt;
  state.read_at = *read_at;
  return state;
}

match::ChangeFilter::TermState SharedComposites::term_state(
    const Instance& instance, match::LeafPlace place,
    const match::CompositeIndex::LeafView& view) const {
  match::ChangeFilter::TermState state{
      .last = view.last,
      .last_at = instance.conjunctions[place.conjunction][place.leaf].last_at,
      .current = view.current};
  if (!view.current) return state;
  Current current = this->current(instance, place);
  if (std::ranges::binary_search(instance.delivered, current.order)) return state;
  state.order = current.order;
  state.event = std::move(current.event);
  return state;
}

std::uint64_t SharedComposites::revision(const Member& member) const {
  std::uint64_t sum = 0;
  for (const StreamNumber stream : member.streams) sum += streams_.reading_count(stream);
  return sum;
}

std::size_t SharedComposites::memory_bytes() const {
  return index_.memory_bytes() + tally_.memory_bytes() + streams_.memory_bytes() +
         instances_.capacity() * sizeof(Instance*) +
         free_numbers_.capacity() * sizeof(std::uint32_t);
}

}  // namespace weir::engine
