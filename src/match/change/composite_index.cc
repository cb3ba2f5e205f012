// SPDX-License-Identifier: Apache-2.0
#include "match/change/composite_index.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace weir::match {
namespace {

constexpr std::size_t kPrefetchDistance = 8;

}  // namespace

void CompositeIndex::add(std::uint64_t id, std::span<const CompositeConjunction> conjunctions,
                         const CompositeOptions& options) {
  const auto count = static_cast<std::uint32_t>(conjunctions.size());
  const std::uint32_t slot = composites_.take(1);
  WEIR_CHECK(slots_.emplace(id, slot).second);
  const std::uint32_t first = conjunctions_.take(count);
  composites_[slot] = {id, first, count};
  for (std::uint32_t i = 0; i < count; ++i) {
    conjunctions_[first + i].composite = slot;
    add_conjunction(first + i, conjunctions[i], options);
  }
}

void CompositeIndex::add_conjunction(std::uint32_t index, const CompositeConjunction& leaves,
                                     const CompositeOptions& options) {
  WEIR_CHECK(!leaves.empty());
  add_clock(index, leaves, options.floor);
  Conjunction& conjunction = conjunctions_[index];
  conjunction.leaf_count = static_cast<std::uint32_t>(leaves.size());
  conjunction.waits_for = conjunction.leaf_count;
  conjunction.first_leaf = leaves_.take(conjunction.leaf_count);
  for (std::uint32_t i = 0; i < conjunction.leaf_count; ++i) {
    const std::uint32_t leaf_index = conjunction.first_leaf + i;
    Leaf& leaf = leaves_[leaf_index];
    leaf.condition = leaves[i].condition;
    leaf.source = leaves[i].source;
    leaf.conjunction = index;
    leaf.takes_first = options.initial == Initial::kNone;
    WEIR_CHECK(leaf.condition.is_valid());
    Source& source = source_of(leaf.source);
    leaf.is_apart = options.newcomer == Newcomer::kKnowsNothing || !source.current;
    if (leaf.is_apart) {
      source.apart.insert(listed(leaf_index));
    } else {
      judge(leaf_index);
    }
  }
  set_ready(index);
}

bool CompositeIndex::remove(std::uint64_t id) {
  const auto found = slots_.find(id);
  if (found == slots_.end()) return false;
  const std::uint32_t slot = found->second;
  const Composite composite = composites_[slot];
  for (std::uint32_t i = 0; i < composite.count; ++i) remove_conjunction(composite.first + i);
  conjunctions_.give_back(composite.first, composite.count);
  composites_.give_back(slot, 1);
  slots_.erase(found);
  tidy_dues();
  return true;
}

void CompositeIndex::remove_conjunction(std::uint32_t index) {
  Conjunction& conjunction = conjunctions_[index];
  conjunction.waits_for = conjunction.leaf_count;
  set_due(index, false);
  set_ready(index);
  if (conjunction.is_timed()) clocks_.remove(conjunction.clock);
  for (std::uint32_t i = 0; i < conjunction.leaf_count; ++i) {
    const std::uint32_t leaf_index = conjunction.first_leaf + i;
    Leaf& leaf = leaves_[leaf_index];
    set_band(leaf_index, Band());
    sources_[leaf.source].apart.erase(listed(leaf_index));
    own_values_.erase(leaf_index);
  }
  leaves_.give_back(conjunction.first_leaf, conjunction.leaf_count);
}

void CompositeIndex::update(std::span<const CompositeReading> readings, base::Instant now,
                            CompositeFiring& firing) {
  firing.clear();
  tell_time(now, firing);
  candidates_.clear();
  fired_.clear();
  for (const CompositeReading& reading : readings) move(reading, firing);
  for (const CompositeReading& reading : readings) list_ready(sources_[reading.source]);
  look_at_candidates();
  fire_all(now, firing);
  tidy_dues();
}

void CompositeIndex::look_at_candidates() {
  for (const std::uint32_t index : candidates_) {
    const Conjunction& conjunction = conjunctions_[index];
    const bool waits = conjunction.waits_for > 0;
    if (!waits && !conjunction.is_held) {
      fired_.push_back(index);
    } else {
      set_due(index, !waits);
      set_ready(index);
    }
  }
}

void CompositeIndex::fire_all(base::Instant at, CompositeFiring& firing) {
  std::sort(fired_.begin(), fired_.end());
  fired_.erase(std::unique(fired_.begin(), fired_.end()), fired_.end());
  for (const std::uint32_t index : fired_) fire(index, at);
  if (!fired_.empty()) report(firing);
}

void CompositeIndex::move(const CompositeReading& reading, CompositeFiring& firing) {
  ++counters_.updates;
  Source& source = source_of(reading.source);
  const std::optional<double> before = std::exchange(source.current, reading.value);
  learn(source, firing);
  if (before) cross(source, *before, reading.value);
}

// Those that were satisfied already fire, or become due, without a flip.
void CompositeIndex::list_ready(const Source& source) {
  source.ready.for_each_span(source.ready.begin(), source.ready.end(),
                             [&](ThresholdIndex::Span conjunctions) {
                               for (const std::uint64_t index : conjunctions) {
                                 candidates_.push_back(static_cast<std::uint32_t>(index));
                               }
                             });
}

// Who stands apart has waited for this value.
void CompositeIndex::learn(Source& source, CompositeFiring& firing) {
  if (source.apart.size() == 0) return;
  source.apart.for_each_span(source.apart.begin(), source.apart.end(),
                             [&](ThresholdIndex::Span leaves) {
                               for (const std::uint64_t index : leaves)
                                 attach(static_cast<std::uint32_t>(index), firing);
                             });
  source.apart = ThresholdIndex();
}

void CompositeIndex::attach(std::uint32_t index, CompositeFiring& firing) {
  Leaf& leaf = leaves_[index];
  leaf.is_apart = false;
  own_values_.erase(index);
  if (leaf.takes_first && !leaf.has_last()) firing.taken.push_back(taken_leaf(index));
  judge(index);
}

// Touches the leaves with an end that the value has crossed. Beyond its high end, or below its low
// one, a leaf is satisfied: the ends themselves belong to the band.
void CompositeIndex::cross(Source& source, double from, double to) {
  const auto [low, high] = std::minmax(from, to);
  const auto first = [](double value) { return Position{value, 0}; };
  const auto behind = [](double value) { return Position{value, Position::end().id}; };
  const auto judge_all = [&](ThresholdIndex::Span leaves) { judge(leaves, to); };
  source.highs.for_each_span(source.highs.lower_bound(first(low)),
                             source.highs.lower_bound(first(high)), judge_all);
  source.lows.for_each_span(source.lows.lower_bound(behind(low)),
                            source.lows.lower_bound(behind(high)), judge_all);
}

void CompositeIndex::judge(ThresholdIndex::Span leaves, double value) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i + kPrefetchDistance < leaves.size()) {
      __builtin_prefetch(&leaves_[static_cast<std::uint32_t>(leaves[i + kPrefetchDistance])]);
    }
    Leaf& leaf = leaves_[static_cast<std::uint32_t>(leaves[i])];
    const State state = leaf.band.contains(value) ? State::kQuiet : State::kSatisfied;
    set_state(leaf, state, leaf.is_silent);
  }
}

void CompositeIndex::set_state(Leaf& leaf, State state, bool is_silent) {
  const bool before = leaf.is_satisfied();
  leaf.state = state;
  leaf.is_silent = is_silent;
  if (before == leaf.is_satisfied()) return;
  ++counters_.flips;
  Conjunction& conjunction = conjunctions_[leaf.conjunction];
  if (before) {
    ++conjunction.waits_for;
    if (conjunction.is_due) set_due(leaf.conjunction, false);
  } else if (--conjunction.waits_for == 0) {
    candidates_.push_back(leaf.conjunction);
  }
}

void CompositeIndex::fire(std::uint32_t index, base::Instant at) {
  ++counters_.fired;
  set_due(index, false);
  const Conjunction conjunction = conjunctions_[index];
  for (std::uint32_t i = 0; i < conjunction.leaf_count; ++i) {
    const std::uint32_t leaf = conjunction.first_leaf + i;
    take(leaf, current_of(leaf), at);
  }
  set_ready(index);
}

double CompositeIndex::current_of(std::uint32_t index) const {
  const Leaf& leaf = leaves_[index];
  return leaf.is_apart ? own_values_.at(index) : *sources_[leaf.source].current;
}

// The value becomes the leaf's last one.
void CompositeIndex::take(std::uint32_t index, double last, base::Instant at) {
  put_last(index, last, start_clock(index, std::nullopt, at));
}

void CompositeIndex::put_last(std::uint32_t index, double last, bool is_silent) {
  Leaf& leaf = leaves_[index];
  leaf.last = last;
  set_band(index, leaf.condition.quiet_band(last));
  const bool is_quiet = leaf.band.contains(current_of(index));
  set_state(leaf, is_quiet ? State::kQuiet : State::kSatisfied, is_silent);
}

// What the current value means to a leaf, which may be its first one.
void CompositeIndex::judge(std::uint32_t index) {
  Leaf& leaf = leaves_[index];
  if (leaf.has_last()) {
    const bool is_quiet = leaf.band.contains(current_of(index));
    set_state(leaf, is_quiet ? State::kQuiet : State::kSatisfied, leaf.is_silent);
  } else if (leaf.takes_first) {
    take(index, current_of(index), now_);
  } else {
    set_state(leaf, State::kFresh, false);
  }
}

void CompositeIndex::set_band(std::uint32_t index, const Band& band) {
  Leaf& leaf = leaves_[index];
  Source& source = sources_[leaf.source];
  const auto replace = [index](ThresholdIndex& ends, double before, double after) {
    if (before == after) return;
    if (std::isfinite(before)) ends.erase({before, index});
    if (std::isfinite(after)) ends.insert({after, index});
  };
  replace(source.lows, leaf.band.low, band.low);
  replace(source.highs, leaf.band.high, band.high);
  leaf.band = band;
}

// One that waits for no leaf fires, or becomes due, on the next update of any of its sources,
// without a flip.
void CompositeIndex::set_ready(std::uint32_t index) {
  Conjunction& conjunction = conjunctions_[index];
  const bool is_ready = conjunction.waits_for == 0 && !conjunction.is_due;
  if (std::exchange(conjunction.is_ready, is_ready) == is_ready) return;
  for (std::uint32_t i = 0; i < conjunction.leaf_count; ++i) {
    ThresholdIndex& ready = sources_[leaves_[conjunction.first_leaf + i].source].ready;
    if (is_ready) {
      ready.insert(listed(index));
    } else {
      ready.erase(listed(index));
    }
  }
}

TakenLeaf CompositeIndex::taken_leaf(std::uint32_t index) const {
  const std::uint32_t conjunction_index = leaves_[index].conjunction;
  const Conjunction& conjunction = conjunctions_[conjunction_index];
  const Composite& composite = composites_[conjunction.composite];
  return {composite.id, {conjunction_index - composite.first, index - conjunction.first_leaf}};
}

void CompositeIndex::report(CompositeFiring& firing) {
  const auto composite_of = [&](std::uint32_t index) -> const Composite& {
    return composites_[conjunctions_[index].composite];
  };
  std::sort(fired_.begin(), fired_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(composite_of(a).id, a) < std::pair(composite_of(b).id, b);
  });
  for (const std::uint32_t index : fired_) {
    const Composite& composite = composite_of(index);
    if (firing.composites.empty() || firing.composites.back().id != composite.id) {
      firing.composites.push_back({composite.id, firing.conjunctions.size(), 0});
    }
    firing.conjunctions.push_back(index - composite.first);
    firing.composites.back().end = firing.conjunctions.size();
  }
}

CompositeIndex::Source& CompositeIndex::source_of(SourceNumber number) {
  if (number >= sources_.size()) sources_.resize(std::size_t{number} + 1);
  return sources_[number];
}

std::size_t CompositeIndex::memory_bytes() const {
  std::size_t bytes = leaves_.memory_bytes() + conjunctions_.memory_bytes() +
                      composites_.memory_bytes() + sources_.capacity() * sizeof(Source) +
                      clocks_.memory_bytes() + dues_.memory_bytes() +
                      slots_.bucket_count() * (sizeof(*slots_.begin()) + 1) +
                      own_values_.bucket_count() * (sizeof(*own_values_.begin()) + 1);
  for (const Source& source : sources_) {
    bytes += source.lows.memory_bytes() + source.highs.memory_bytes() +
             source.apart.memory_bytes() + source.ready.memory_bytes();
  }
  return bytes;
}

}  // namespace weir::match
