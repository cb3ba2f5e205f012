// SPDX-License-Identifier: Apache-2.0
#include "engine/shared_change.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "filter/shape.h"
#include "match/event_key.h"

namespace weir::engine {
namespace {

const filter::Change& only_change(const filter::Filter& filter) {
  const filter::Conjunction& conjunction = filter.normal_form().conjunctions.front();
  return std::get<filter::Change>(*conjunction.changes.front()->predicate());
}

// The one threshold of a number's movement; null if there are two or it is another movement.
const filter::Threshold* only_threshold(const filter::Change& change) {
  const auto* const moves = std::get_if<filter::Moves>(&change.movement);
  if (moves == nullptr || moves->absolute.has_value() == moves->percent.has_value()) return nullptr;
  return moves->absolute ? &*moves->absolute : &*moves->percent;
}

match::ChangeGroupOptions options_of(const filter::Change& change, const EngineOptions& limits,
                                     base::MemoryAccount::Ptr memory) {
  const auto& moves = std::get<filter::Moves>(change.movement);
  return {.movement = {.direction = direction_of(moves.direction),
                       .percent = moves.percent.has_value(),
                       .inclusive = only_threshold(change)->inclusive},
          .timing = {.silent_for = change.silent_for, .at_most_every = change.at_most_every},
          .key_count_max = limits.change_key_count_max,
          .idle = limits.change_idle,
          .keep_events = change.at_most_every.has_value(),
          .memory = std::move(memory)};
}

}  // namespace

match::Direction direction_of(filter::Direction direction) {
  switch (direction) {
    case filter::Direction::kUp:
      return match::Direction::kRises;
    case filter::Direction::kDown:
      return match::Direction::kFalls;
    case filter::Direction::kEither:
      break;
  }
  return match::Direction::kChanges;
}

// Not shared: filters of several conjunctions or changes; text, whose scores are counted for each
// subscription; the reading before, which depends on who got it; and keys that are forgotten while
// others hold them back.
std::optional<std::string> SharedChange::shape_of(const filter::Filter& filter,
                                                  const EngineOptions& limits) {
  const auto& conjunctions = filter.normal_form().conjunctions;
  if (conjunctions.size() != 1 || conjunctions[0].changes.size() != 1) return std::nullopt;
  if (!filter.text_sources().empty()) return std::nullopt;
  const filter::Change& change = only_change(filter);
  if (only_threshold(change) == nullptr || change.with_previous) return std::nullopt;
  if (limits.change_idle && change.at_most_every) return std::nullopt;
  return filter::shape_of(conjunctions[0]);
}

double SharedChange::threshold_of(const filter::Filter& filter) {
  return only_threshold(only_change(filter))->amount;
}

SharedChange::SharedChange(filter::FilterPtr filter, std::shared_ptr<const Gate> gate,
                           const EngineOptions& limits, base::MemoryAccount::Ptr memory)
    : filter_(std::move(filter)),
      gate_(std::move(gate)),
      group_(options_of(change(), limits, std::move(memory))),
      floor_{std::numeric_limits<std::int64_t>::min()} {}

const filter::Change& SharedChange::change() const { return only_change(*filter_); }

std::size_t SharedChange::join(const Member& member, match::Initial initial,
                               const match::ChangeFilter& state, base::Instant state_at) {
  floor_ = std::max(floor_, state_at);
  has_silent_members_ = has_silent_members_ || initial == match::Initial::kNone;
  group_.join({member.id.value, member.threshold, initial});
  std::size_t held_count = 0;
  for (const auto& [key, remembered] : state.key_states()) {
    const auto source = group_.source(key);
    const bool is_newer = !source || !source->newest || source->newest->at < remembered.read_at ||
                          (remembered.held && !source->event);
    if (is_newer && remembered.current) {
      const match::Reading newest{*remembered.current, remembered.read_at};
      if (!group_.set_newest(key, newest, remembered.held)) continue;
    }
    if (!remembered.last) continue;
    const auto& every = change().at_most_every;
    const bool is_held = every && remembered.last_at + *every > remembered.read_at;
    group_.set_last(member.id.value, member.threshold, key,
                    {.value = *remembered.last,
                     .at = remembered.last_at,
                     .held_count = remembered.is_waiting ? 1U : 0U,
                     .held = is_held});
    held_count += remembered.is_waiting ? 1U : 0U;
  }
  return held_count;
}

void SharedChange::leave(const Member& member) {
  WEIR_CHECK(group_.leave(member.id.value, member.threshold));
}

void SharedChange::move(const Member& member, double threshold) {
  WEIR_CHECK(group_.move(member.id.value, member.threshold, threshold));
}

bool SharedChange::needs_readings() const {
  return change().at_most_every || group_.options().idle;
}

void SharedChange::update(const event::EventPtr& event, base::Instant now,
                          match::TextReader& reader, match::Firing& firing) {
  firing.clear();
  const filter::Change& change = this->change();
  if (change.condition && !filter::evaluate(*change.condition, *event, reader)) return;
  const auto sample = match::sample_of(change, *event, reader);
  if (!sample) {
    ++counts_.no_value;
    return;
  }
  ++counts_.readings;
  if (needs_readings() || has_silent_members_) ++revision_;
  floor_ = std::max(floor_, now);
  group_.update(match::event_key(change.keys, *event), std::get<double>(*sample), floor_, event,
                firing);
  counts_.overflow = group_.counters().overflow;
}

bool SharedChange::is_idle(const match::ChangeGroup::SourceView& source, base::Instant now) const {
  const std::optional<base::Duration>& idle = group_.options().idle;
  return idle && source.newest && source.newest->at + *idle <= now;
}

bool SharedChange::forget(const Member& member, const event::Event& event, base::Instant now) {
  const std::string key = match::event_key(change().keys, event);
  const auto source = group_.source(key);
  if (!source || is_idle(*source, now)) return false;
  return group_.last(member.id.value, member.threshold, key) &&
         group_.forget(member.id.value, member.threshold, key);
}

std::uint64_t SharedChange::held_count(const Member& member) {
  if (!change().at_most_every) return 0;
  std::uint64_t count = 0;
  for (const std::string_view key : keys()) {
    if (const auto last = group_.last(member.id.value, member.threshold, key)) {
      count += last->held_count;
    }
  }
  return count;
}

std::optional<ChangeSourceStats> SharedChange::source_stats(const event::Event& event) const {
  const auto source = group_.source(match::event_key(change().keys, event));
  if (!source) return std::nullopt;
  return ChangeSourceStats{.readings = source->counters.updates,
                           .quiet = source->counters.quiet,
                           .fired = source->counters.fired,
                           .pieces = source->piece_count,
                           .subscriptions = group_.size()};
}

std::vector<std::string_view> SharedChange::keys() const {
  std::vector<std::string_view> keys;
  group_.for_each_source([&](const auto& source) { keys.push_back(source.key); });
  return keys;
}

bool SharedChange::has_room(const event::Event& event, base::Instant now) const {
  if (group_.source(match::event_key(change().keys, event))) return true;
  const base::MemoryAccount::Ptr& memory = group_.options().memory;
  if (memory && memory->is_exhausted()) return false;
  std::size_t live_count = 0;
  group_.for_each_source([&](const auto& source) { live_count += is_idle(source, now) ? 0U : 1U; });
  return live_count < group_.options().key_count_max;
}

void SharedChange::copy_state(const Member& member, const event::Event* only,
                              match::ChangeFilter& to) {
  if (only != nullptr) return copy_key(member, match::event_key(change().keys, *only), to);
  for (const std::string_view key : keys()) copy_key(member, key, to);
}

void SharedChange::copy_key(const Member& member, std::string_view key, match::ChangeFilter& to) {
  const auto last = group_.last(member.id.value, member.threshold, key);
  if (!last) return;
  if (!needs_readings()) {
    to.put(key,
           {.last = last->value, .last_at = last->at, .current = last->value, .read_at = last->at});
    return;
  }
  const auto source = group_.source(key);
  to.put(key, {.last = last->value,
               .last_at = last->at,
               .current = source->newest->value,
               .read_at = source->newest->at,
               .held = source->event,
               .is_waiting = last->held && last->held_count > 0});
}

}  // namespace weir::engine
