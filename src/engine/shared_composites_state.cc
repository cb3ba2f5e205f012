// SPDX-License-Identifier: Apache-2.0
// What members of SharedComposites remember: taken from a ChangeFilter, forgotten, and put into
// one.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "engine/shared_composites.h"

namespace weir::engine {
namespace {

constexpr base::Instant kLongAgo = {std::numeric_limits<std::int64_t>::min()};

}  // namespace

bool SharedComposites::restore(const match::ChangeFilter::ConjunctionStates& states,
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
      if (term.event != nullptr && term.delivered) instance.delivered.push_back(term.order);
    }
    const auto& due = states[i]->due;
    if (due && !index_.restore_due(instance.number, i, *due)) return false;
  }
  std::ranges::sort(instance.delivered);
  const auto twice = std::ranges::unique(instance.delivered);
  instance.delivered.erase(twice.begin(), twice.end());
  watch_held(instance);
  return true;
}

bool SharedComposites::forget(Member& member, const event::Event& event) {
  const auto found = member.instances.find(key_of(member, event));
  if (found == member.instances.end()) return false;
  Instance& instance = found->second;
  settle_held(instance);
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
  const auto found = member.instances.find(key_of(member, *only));
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
  state.due = index_.view(instance.number, conjunction)->due;
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
  state.order = current.order;
  state.event = std::move(current.event);
  state.delivered = current.delivered;
  return state;
}

}  // namespace weir::engine
