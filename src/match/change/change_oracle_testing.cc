// SPDX-License-Identifier: Apache-2.0
#include "match/change/change_oracle_testing.h"

#include <iterator>

namespace weir::match {

std::uint64_t ChangeOracle::nth(std::size_t n) const {
  return std::next(subscribers_.begin(), static_cast<std::ptrdiff_t>(n))->first;
}

void ChangeOracle::forget(std::uint64_t id, const std::string& key) {
  if (newest_.contains(key)) subscribers_.at(id).states[key] = {};
}

void ChangeOracle::retire(base::Instant now) {
  if (!options_.idle) return;
  std::erase_if(newest_, [&](const auto& entry) {
    const auto& [key, reading] = entry;
    if (reading.at + *options_.idle > now) return false;
    for (auto& [id, subscriber] : subscribers_) subscriber.states.erase(key);
    return true;
  });
}

ChangeOracle::Fired ChangeOracle::update(const std::string& key, double value, base::Instant now) {
  retire(now);
  Fired fired;
  const bool has_room = newest_.contains(key) || newest_.size() < options_.key_count_max;
  if (has_room) newest_[key] = {value, now};
  for (auto& [id, subscriber] : subscribers_) {
    if (!has_room) {
      fired[id] = std::nullopt;
      continue;
    }
    State& state = subscriber.states[key];
    const std::optional<LastDelivery> before = state.last;
    if (read(subscriber, state, value, now)) fired[id] = before;
  }
  return fired;
}

// True if the value is delivered.
bool ChangeOracle::read(const Subscriber& subscriber, State& state, double value,
                        base::Instant now) const {
  const bool is_first = !state.last;
  const bool takes = subscriber.joiner.initial == Initial::kNone;
  if (is_first && takes) state.last = LastDelivery{value, now};
  const Reading reading{value, now};
  const auto at_most_every = options_.timing.at_most_every;
  const bool held = state.last && at_most_every && state.last->at + *at_most_every > now;
  const bool is_wanted = wants(subscriber, state, reading);
  state.due.reset();
  if (held) {
    if (is_wanted || !is_first) ++state.last->held_count;
    if (state.last->held_count > 0) state.due = state.last->at + *at_most_every;
    return false;
  }
  if (is_wanted) state = {LastDelivery{value, now}, std::nullopt};
  return is_wanted;
}

bool ChangeOracle::wants(const Subscriber& subscriber, const State& state,
                         const Reading& reading) const {
  const auto silent_for = options_.timing.silent_for;
  return !state.last ||
         options_.movement.fires(subscriber.joiner.threshold, state.last->value, reading.value) ||
         (silent_for && state.last->at + *silent_for <= reading.at);
}

std::optional<ChangeOracle::Due> ChangeOracle::advance(base::Instant now) {
  while (std::optional<Due> first = first_due(now)) {
    const Reading newest = newest_.at(first->key);
    for (auto& [id, subscriber] : subscribers_) {
      const auto found = subscriber.states.find(first->key);
      if (found == subscriber.states.end() || found->second.due != first->at) continue;
      State& state = found->second;
      state.due.reset();
      if (!wants(subscriber, state, newest)) continue;
      first->fired[id] = state.last;
      state = {LastDelivery{newest.value, first->at}, std::nullopt};
    }
    if (!first->fired.empty()) return first;
  }
  return std::nullopt;
}

std::optional<ChangeOracle::Due> ChangeOracle::first_due(base::Instant now) const {
  std::optional<Due> first;
  for (const auto& [id, subscriber] : subscribers_) {
    for (const auto& [key, state] : subscriber.states) {
      if (!state.due || *state.due > now) continue;
      const bool earlier =
          !first || *state.due < first->at || (*state.due == first->at && key < first->key);
      if (earlier) first = Due{*state.due, key, {}};
    }
  }
  return first;
}

std::optional<LastDelivery> ChangeOracle::last(std::uint64_t id, const std::string& key) const {
  const Subscriber& subscriber = subscribers_.at(id);
  const auto found = subscriber.states.find(key);
  return found == subscriber.states.end() ? std::nullopt : found->second.last;
}

}  // namespace weir::match
