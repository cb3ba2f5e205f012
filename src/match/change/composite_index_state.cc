// SPDX-License-Identifier: Apache-2.0
// What a CompositeIndex remembers, leaf by leaf.
#include "base/check.h"
#include "match/change/composite_index.h"

namespace weir::match {

std::optional<std::uint32_t> CompositeIndex::find_conjunction(std::uint64_t id,
                                                              std::size_t conjunction) const {
  const auto found = slots_.find(id);
  if (found == slots_.end()) return std::nullopt;
  const Composite& composite = composites_[found->second];
  if (conjunction >= composite.count) return std::nullopt;
  return composite.first + static_cast<std::uint32_t>(conjunction);
}

std::optional<std::uint32_t> CompositeIndex::find_leaf(std::uint64_t id, LeafPlace place) const {
  const auto index = find_conjunction(id, place.conjunction);
  if (!index) return std::nullopt;
  const Conjunction& conjunction = conjunctions_[*index];
  if (place.leaf >= conjunction.leaf_count) return std::nullopt;
  return conjunction.first_leaf + static_cast<std::uint32_t>(place.leaf);
}

std::optional<CompositeIndex::LeafView> CompositeIndex::view(std::uint64_t id,
                                                             LeafPlace place) const {
  const std::optional<std::uint32_t> index = find_leaf(id, place);
  if (!index) return std::nullopt;
  const Leaf& leaf = leaves_[*index];
  LeafView view;
  view.is_apart = leaf.is_apart;
  if (leaf.state == State::kUnknown) return view;
  view.current = current_of(*index);
  view.satisfied = leaf.is_satisfied();
  if (leaf.state != State::kFresh) view.last = leaf.last;
  return view;
}

std::optional<CompositeIndex::ConjunctionView> CompositeIndex::view(std::uint64_t id,
                                                                    std::size_t conjunction) const {
  const std::optional<std::uint32_t> index = find_conjunction(id, conjunction);
  if (!index) return std::nullopt;
  const Conjunction& found = conjunctions_[*index];
  ConjunctionView view{.is_held = found.is_held, .due = std::nullopt};
  if (found.is_due) view.due = clocks_.held_until(found.clock);
  return view;
}

bool CompositeIndex::restore(std::uint64_t id, LeafPlace place, const LeafMemory& memory) {
  const std::optional<std::uint32_t> index = find_leaf(id, place);
  if (!index) return false;
  Leaf& leaf = leaves_[*index];
  WEIR_CHECK(leaf.state == State::kUnknown);
  own_values_.emplace(*index, memory.current);
  if (memory.last) {
    put_last(*index, *memory.last, start_clock(*index, memory.last_at, memory.read_at));
  } else {
    set_state(leaf, State::kFresh, false);
  }
  set_ready(leaf.conjunction);
  return true;
}

bool CompositeIndex::restore_due(std::uint64_t id, std::size_t conjunction, base::Instant due) {
  const std::optional<std::uint32_t> index = find_conjunction(id, conjunction);
  if (!index) return false;
  const Conjunction& found = conjunctions_[*index];
  const bool can_be = found.is_held && found.waits_for == 0;
  if (!can_be || clocks_.held_until(found.clock) != due) return false;
  set_due(*index, true);
  set_ready(*index);
  return true;
}

void CompositeIndex::retune(std::uint64_t id, std::span<const LeafCondition> conditions) {
  const Composite composite = composites_[slots_.at(id)];
  auto condition = conditions.begin();
  for (std::uint32_t i = composite.first; i < composite.first + composite.count; ++i) {
    set_due(i, false);
    const Conjunction& conjunction = conjunctions_[i];
    for (std::uint32_t j = 0; j < conjunction.leaf_count; ++j) {
      const std::uint32_t index = conjunction.first_leaf + j;
      Leaf& leaf = leaves_[index];
      leaf.condition = *condition++;
      WEIR_CHECK(leaf.condition.is_valid());
      if (leaf.has_last()) put_last(index, leaf.last, leaf.is_silent);
    }
    set_ready(i);
  }
  tidy_dues();
}

bool CompositeIndex::forget(std::uint64_t id) {
  const auto found = slots_.find(id);
  if (found == slots_.end()) return false;
  const Composite composite = composites_[found->second];
  bool knew = false;
  for (std::uint32_t i = 0; i < composite.count; ++i) {
    knew = forget_conjunction(composite.first + i) || knew;
  }
  tidy_dues();
  return knew;
}

bool CompositeIndex::forget_conjunction(std::uint32_t index) {
  Conjunction& conjunction = conjunctions_[index];
  bool knew = false;
  for (std::uint32_t i = 0; i < conjunction.leaf_count; ++i) {
    const std::uint32_t leaf_index = conjunction.first_leaf + i;
    Leaf& leaf = leaves_[leaf_index];
    knew = knew || leaf.state != State::kUnknown;
    set_band(leaf_index, Band());
    set_state(leaf, State::kUnknown, false);
    own_values_.erase(leaf_index);
    leaf.is_apart = true;
    sources_[leaf.source].apart.insert(listed(leaf_index));
  }
  conjunction.is_held = false;
  if (conjunction.is_timed()) clocks_.stop(conjunction.clock);
  set_ready(index);
  return knew;
}

}  // namespace weir::match
