// SPDX-License-Identifier: Apache-2.0
// How a ChangeFilter begins: with readings from before it.
#include <algorithm>
#include <utility>

#include "match/change_filter.h"
#include "match/event_key.h"

namespace weir::match {
namespace {

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

}  // namespace

void ChangeFilter::learn(const std::vector<std::uint32_t>& conjunctions,
                         const event::EventPtr& event, base::Instant now, TextReader& reader) {
  const auto held = hold(event, event_count_++);
  for (const std::uint32_t conjunction : conjunctions) {
    const auto& changes = changes_of(conjunction);
    Values values;
    if (read_values(changes, *event, reader, values) != ChangeVerdict::kFired) continue;
    const std::string key = event_key(change_of(changes[0]).keys, *event);
    const bool is_known = instances_[conjunction].contains(key);
    if (!is_known && !has_room(key_count_)) continue;
    Instance& instance = *find_or_add(conjunction, key);
    note_reading(conjunction, key, instance, now);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      Term& term = instance.terms[i];
      term.current = values[i];
      term.held = held;
      if (options_.initial != Initial::kNone) continue;
      term.last = remember(change_of(changes[i]).movement, *term.current);
      term.last_at = now;
    }
    if (!take_memory(key, instance)) erase(conjunction, instances_[conjunction].find(key));
  }
}

// In the order of their newest events, as if these had just come.
std::vector<FiredEvents> ChangeFilter::begin(base::Instant now, TextReader& reader) {
  std::map<std::uint64_t, std::vector<std::pair<std::uint32_t, std::string>>> by_newest;
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    for (const auto& [key, instance] : instances_[i]) {
      std::uint64_t newest = 0;
      for (const Term& term : instance.terms) {
        if (term.held != nullptr) newest = std::max(newest, term.held->order);
      }
      by_newest[newest].emplace_back(i, key);
    }
  }
  std::vector<FiredEvents> begun;
  for (const auto& [newest, places] : by_newest) {
    Firings firings;
    for (const auto& [conjunction, key] : places) {
      try_fire(conjunction, key, instances_[conjunction].find(key)->second, now, reader, firings);
    }
    FiredEvents fired;
    firings.deliver(fired);
    if (!fired.events.empty()) begun.push_back(std::move(fired));
  }
  return begun;
}

}  // namespace weir::match
