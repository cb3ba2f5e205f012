// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_composites.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "base/check.h"
#include "engine/shared_change.h"
#include "event/event_memory.h"
#include "match/event_key.h"

namespace weir::engine {
namespace {

// Of an instance and of each of its changes: nodes, values in the index, what the heap adds.
constexpr std::size_t kInstanceBytes = 320;
constexpr std::size_t kLeafBytes = 224;
constexpr std::size_t kKeyCopies = 2;

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

const std::vector<filter::Operand>& keys_of(const filter::Filter& filter) {
  return change_of(filter.normal_form().conjunctions.front().changes.front()).keys;
}

bool is_leaf(const filter::Change& change) {
  return std::holds_alternative<filter::Moves>(change.movement) && !change.with_previous;
}

bool is_limited(const filter::Conjunction& conjunction) {
  return std::ranges::any_of(conjunction.changes, [](const filter::ExprPtr& change) {
    return change_of(change).at_most_every.has_value();
  });
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

match::CompositeLeaf leaf_of(match::SourceNumber source, const filter::Change& change) {
  return {source,
          condition_of(std::get<filter::Moves>(change.movement)),
          {.silent_for = change.silent_for, .at_most_every = change.at_most_every}};
}

std::size_t instance_bytes(const CompositeMember& member, std::string_view key) {
  return kInstanceBytes + kKeyCopies * key.size() + member.leaf_streams.size() * kLeafBytes;
}

template <typename Number>
void sort_once(std::vector<Number>& numbers) {
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
}

}  // namespace

std::vector<match::LeafCondition> SharedComposites::conditions_of(const filter::Filter& filter) {
  std::vector<match::LeafCondition> conditions;
  for (const filter::Conjunction& conjunction : filter.normal_form().conjunctions) {
    for (const filter::ExprPtr& change : conjunction.changes) {
      conditions.push_back(condition_of(std::get<filter::Moves>(change_of(change).movement)));
    }
  }
  return conditions;
}

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
  auto member = std::make_unique<Member>();
  member->id = newcomer.id;
  member->filter = newcomer.filter;
  member->conditions = conditions_of(*newcomer.filter);
  member->initial = newcomer.initial;
  member->floor = newcomer.state_at;
  member->memory = base::MemoryCharge(newcomer.memory);
  member->is_limited = std::ranges::any_of(newcomer.filter->normal_form().conjunctions, is_limited);
  if (!use_streams(newcomer, *member)) return nullptr;
  const bool has_keys = !keys_of(*newcomer.filter).empty();
  for (const auto& [key, state] : newcomer.state->conjunction_states()) {
    const bool fits = (has_keys || key.empty()) && has_room(*member);
    if (!fits || !restore(state, instance_of(*member, key))) {
      leave(std::move(member));
      return nullptr;
    }
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
      const auto stream = streams_.use(conjunction, change_of(change), newcomer.gate,
                                       newcomer.stream_memory, newcomer.budget);
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
  const base::MemoryAccount::Ptr& memory = member.memory.account();
  return count <= key_count_max_ / member.filter->normal_form().conjunctions.size() &&
         !(memory && memory->is_exhausted());
}

std::string SharedComposites::key_of(const Member& member, const event::Event& event) {
  return match::event_key(keys_of(*member.filter), event);
}

// Requires room if there is none yet.
SharedComposites::Instance& SharedComposites::instance_of(Member& member, std::string_view key) {
  const auto known = member.instances.find(key);
  if (known != member.instances.end()) return known->second;
  const auto added = member.instances.emplace(key, Instance{.member = &member}).first;
  Instance& instance = added->second;
  instance.key = added->first;
  instance.tuning = member.tuning;
  if (free_numbers_.empty()) {
    free_numbers_.push_back(static_cast<std::uint32_t>(instances_.size()));
    instances_.push_back(nullptr);
  }
  instance.number = free_numbers_.back();
  free_numbers_.pop_back();
  instances_[instance.number] = &instance;
  index_.add(instance.number, place(member, key, instance),
             {.initial = member.initial, .floor = member.floor});
  member.memory.grow(instance_bytes(member, key));
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
      if (is_limited(conjunction)) ++streams_.source(source).limited_count;
      leaves.push_back({source});
      instance.sources.push_back(source);
      conditions.push_back(leaf_of(source, change_of(change)));
    }
  }
  sort_once(instance.sources);
  instance.read_at.resize(definition.size());
  return definition;
}

void SharedComposites::leave(std::unique_ptr<Member> member) {
  streams_.exit(*member);
  end_retuning(*member);
  member->is_gone = true;
  if (member->instances.size() > keys_at_once_) return gone_.push_back(std::move(member));
  remove_keys(*member, keys_at_once_);
  release_streams(*member);
}

void SharedComposites::remove(Member& member, Instance& instance) {
  WEIR_CHECK(index_.remove(instance.number));
  instances_[instance.number] = nullptr;
  free_numbers_.push_back(instance.number);
  for (std::size_t i = 0; i < instance.conjunctions.size(); ++i) {
    const bool limited = is_limited(member.filter->normal_form().conjunctions[i]);
    for (const Member::Leaf& leaf : instance.conjunctions[i]) {
      if (limited) --streams_.source(leaf.source).limited_count;
      streams_.release_source(leaf.source);
    }
  }
  member.memory.shrink(instance_bytes(member, instance.key));
  member.instances.erase(member.instances.find(instance.key));
}

std::span<SharedComposites::Member* const> SharedComposites::read(
    std::span<const match::Match> matches, const event::EventPtr& event, base::Instant now,
    match::TextReader& reader) {
  readings_.clear();
  read_.clear();
  unread_.clear();
  leaving_.clear();
  event_bytes_ = 0;
  for (const match::Match& match : matches) {
    read(stream_of(match.subscription), event, now, reader);
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
  for (Member* const member : retuning_) {
    if (!std::ranges::binary_search(member->streams, stream)) continue;
    const auto found = member->instances.find(key);
    if (found != member->instances.end()) retune(found->second, now, reader);
  }
  streams_.introduce(stream, key, [&](Member& member) {
    if (member.must_leave || member.instances.contains(key)) return;
    if (has_room(member)) {
      instance_of(member, key);
    } else {
      make_leave(member);
    }
  });
  const auto number = streams_.find_source(stream, key);
  if (!number) return;
  if (!keep(*number, event)) {
    for (Member* const member : streams_.members(stream)) {
      if (member != nullptr && member->instances.contains(key)) make_leave(*member);
    }
    return;
  }
  readings_.push_back({*number, std::get<double>(*sample)});
  CompositeStreams::Source& source = streams_.source(*number);
  source.order = next_order_;
  source.read_at = now;
}

void SharedComposites::make_leave(Member& member) {
  if (member.must_leave) return;
  member.must_leave = true;
  leaving_.push_back(&member);
}

// False if there is no room for the event: whoever has the key must go on alone, where a key
// without room is let through. A stream without keys keeps one event, whatever it takes.
bool SharedComposites::keep(match::SourceNumber number, const event::EventPtr& event) {
  CompositeStreams::Source& source = streams_.source(number);
  if (source.memory.account()) {
    if (event_bytes_ == 0) event_bytes_ = event::memory_bytes(*event);
    const std::size_t taken = source.memory.bytes();
    const bool has_keys = !streams_.change(source.stream).keys.empty();
    if (!has_keys || event_bytes_ <= taken) {
      source.memory.set(event_bytes_);
    } else if (source.memory.try_grow(event_bytes_ - taken) != nullptr) {
      return false;
    }
  }
  source.event = event;
  return true;
}

std::span<const SharedComposites::Fired> SharedComposites::update(base::Instant now) {
  // Whoever left for lack of memory took its sources along.
  std::erase_if(readings_, [this](const match::CompositeReading& reading) {
    return streams_.source(reading.source).use_count == 0;
  });
  tally_.count(read_, unread_);
  index_.update(readings_, now, firing_);
  std::ranges::sort(firing_.taken, {}, [](const match::TakenLeaf& taken) {
    return std::tuple(taken.id, taken.place);
  });
  for (const match::TakenLeaf& taken : firing_.taken) take(*instances_[taken.id], taken.place, now);
  fired_.clear();
  const std::span<const std::uint32_t> conjunctions = firing_.conjunctions;
  for (const match::FiredComposite& fired : firing_.composites) {
    if (instances_[fired.id]->member->is_gone) continue;
    fired_.push_back(
        {instances_[fired.id], conjunctions.subspan(fired.begin, fired.end - fired.begin)});
  }
  std::ranges::sort(fired_, {}, [](const Fired& fired) { return fired.instance->member->id; });
  count_held();
  return fired_;
}

std::span<const SharedComposites::Fired> SharedComposites::advance() {
  WEIR_CHECK(index_.advance(*next_wake(), firing_));
  fired_.clear();
  const std::span<const std::uint32_t> conjunctions = firing_.conjunctions;
  for (const match::FiredComposite& fired : firing_.composites) {
    Instance& instance = *instances_[fired.id];  // it was held, and it is again
    if (instance.member->is_gone) continue;
    for (std::size_t i = fired.begin; i < fired.end; ++i) {
      fired_.push_back({&instance, conjunctions.subspan(i, 1)});
    }
  }
  std::ranges::sort(fired_, {}, [](const Fired& fired) {
    return std::tuple(fired.instance->member->id, fired.conjunctions.front(), fired.instance->key);
  });
  return fired_;
}

bool SharedComposites::is_apart(const Instance& instance, match::LeafPlace place) const {
  return index_.view(instance.number, place)->is_apart;
}

// The current event of a leaf with a value.
SharedComposites::Current SharedComposites::current(const Instance& instance,
                                                    match::LeafPlace place) const {
  const auto is_delivered = [&](std::uint64_t order) {
    return std::ranges::binary_search(instance.delivered, order);
  };
  const auto own =
      std::ranges::lower_bound(instance.own_events, place, {}, &Member::OwnEvent::place);
  if (own != instance.own_events.end() && own->place == place && is_apart(instance, place)) {
    return {own->order, own->event, own->event == nullptr || is_delivered(own->order)};
  }
  const auto& source = streams_.source(instance.conjunctions[place.conjunction][place.leaf].source);
  return {source.order, source.event, is_delivered(source.order)};
}

// The current events of all leaves of a conjunction, as far as they are known.
std::vector<SharedComposites::Current> SharedComposites::currents(const Instance& instance,
                                                                  std::uint32_t conjunction) const {
  std::vector<Current> currents;
  for (std::size_t i = 0; i < instance.conjunctions[conjunction].size(); ++i) {
    Current current = this->current(instance, {conjunction, i});
    if (current.event != nullptr) currents.push_back(std::move(current));
  }
  return currents;
}

// As match::Firings does it.
void SharedComposites::deliver(std::span<const Fired> fired, base::Instant now,
                               match::FiredEvents& events) const {
  std::vector<Current> shown;
  for (const Fired& one : fired) {
    Instance& instance = *one.instance;
    std::erase_if(instance.own_events,
                  [&](const Member::OwnEvent& own) { return !is_apart(instance, own.place); });
    for (const std::uint32_t conjunction : one.conjunctions) {
      const std::size_t leaf_count = instance.conjunctions[conjunction].size();
      for (std::size_t i = 0; i < leaf_count; ++i) take(instance, {conjunction, i}, now);
      const std::vector<Current> currents = this->currents(instance, conjunction);
      if (std::ranges::all_of(currents, &Current::delivered)) continue;
      events.is_group = events.is_group || leaf_count > 1;
      shown.insert(shown.end(), currents.begin(), currents.end());
    }
  }
  std::ranges::sort(shown, {}, &Current::order);
  const auto twice = std::ranges::unique(shown, {}, &Current::order);
  shown.erase(twice.begin(), twice.end());
  for (Current& current : shown) {
    events.events.push_back({std::move(current.event), current.delivered});
  }
  for (const Fired& one : fired) remember_delivered(one);
}

// As long as it is current anywhere.
void SharedComposites::remember_delivered(const Fired& fired) const {
  Instance& instance = *fired.instance;
  for (const std::uint32_t conjunction : fired.conjunctions) {
    for (const Current& current : currents(instance, conjunction)) {
      instance.delivered.push_back(current.order);
    }
  }
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

std::uint64_t SharedComposites::revision(const Member& member) const {
  std::uint64_t sum = 0;
  for (const StreamNumber stream : member.streams) sum += streams_.reading_count(stream);
  return sum;
}

std::size_t SharedComposites::memory_bytes() const {
  return index_.memory_bytes() + tally_.memory_bytes() + held_tally_.memory_bytes() +
         streams_.memory_bytes() + instances_.capacity() * sizeof(Instance*) +
         free_numbers_.capacity() * sizeof(std::uint32_t);
}

}  // namespace weir::engine
