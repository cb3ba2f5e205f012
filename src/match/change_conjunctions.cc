// SPDX-License-Identifier: Apache-2.0
// What a ChangeFilter of several terms remembers, for whoever keeps it elsewhere.
#include <algorithm>
#include <map>
#include <utility>

#include "match/change_filter.h"

namespace weir::match {

std::map<std::string, ChangeFilter::ConjunctionStates> ChangeFilter::conjunction_states() const {
  std::map<std::string, ConjunctionStates> states;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    for (const auto& [key, instance] : instances_[i]) {
      ConjunctionStates& conjunctions = states[key];
      conjunctions.resize(instances_.size());
      ConjunctionState& state = conjunctions[i].emplace();
      state.read_at = instance.read_at;
      state.due = instance.due;
      for (const Term& term : instance.terms) state.terms.push_back(state_of(term));
    }
  }
  return states;
}

ChangeFilter::TermState ChangeFilter::state_of(const Term& term) {
  TermState state{.last = std::nullopt, .last_at = term.last_at};
  if (term.last) state.last = std::get<double>(*term.last);
  if (term.current) state.current = std::get<double>(*term.current);
  if (term.held) {
    state.order = term.held->order;
    state.event = term.held->event;
    state.delivered = term.held->delivered;
  }
  return state;
}

void ChangeFilter::put(std::string_view key, const ConjunctionStates& states) {
  std::map<std::uint64_t, HeldEventPtr> kept;
  const auto delivered = std::make_shared<HeldEvent>(HeldEvent{nullptr, 0, true});
  for (std::uint32_t conjunction = 0; conjunction < states.size(); ++conjunction) {
    if (!states[conjunction]) continue;
    Instance instance{&changes_of(conjunction), {}};
    for (const TermState& state : states[conjunction]->terms) {
      Term& term = instance.terms.emplace_back();
      if (state.last) term.last = *state.last;
      if (state.current) term.current = *state.current;
      term.last_at = state.last_at;
      term.held = delivered;
      if (state.event == nullptr) continue;
      auto& held = kept[state.order];
      if (held == nullptr) {
        held = hold(state.event, state.order, state.delivered);
      }
      term.held = held;
    }
    const auto added = instances_[conjunction].emplace(key, std::move(instance)).first;
    ++key_count_;
    keep_memory(added->first, added->second);
    note_reading(conjunction, added->first, added->second, states[conjunction]->read_at);
    reschedule(conjunction, added->first, added->second, states[conjunction]->due);
  }
  if (!kept.empty()) event_count_ = std::max(event_count_, kept.rbegin()->first + 1);
}

}  // namespace weir::match
