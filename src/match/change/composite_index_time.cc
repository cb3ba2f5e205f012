// SPDX-License-Identifier: Apache-2.0
// What time does to the conjunctions of a CompositeIndex.
#include <algorithm>

#include "base/check.h"
#include "match/change/composite_index.h"

namespace weir::match {
namespace {

constexpr std::size_t kPrefetchDistance = 4;

}  // namespace

void CompositeIndex::add_clock(std::uint32_t index, const CompositeConjunction& leaves,
                               base::Instant floor) {
  const auto is_timed = [](const CompositeLeaf& leaf) { return leaf.timing.is_any(); };
  if (std::ranges::none_of(leaves, is_timed)) return;
  std::vector<ChangeTiming> timings;
  for (const CompositeLeaf& leaf : leaves) timings.push_back(leaf.timing);
  conjunctions_[index].clock = clocks_.add(index, timings, floor);
}

// The leaf takes its last value now, or has taken it at some instant. True if it is silent.
bool CompositeIndex::start_clock(std::uint32_t index, std::optional<base::Instant> last_at,
                                 base::Instant now) {
  Conjunction& conjunction = conjunctions_[leaves_[index].conjunction];
  if (!conjunction.is_timed()) return false;
  const std::uint32_t leaf = index - conjunction.first_leaf;
  const CompositeClocks::Number clock = conjunction.clock;
  now = clocks_.time_of(clock, now);
  clocks_.start(clock, leaf, last_at.value_or(now));
  conjunction.is_held = clocks_.held_until(clock) > now;
  clocks_.schedule(clock, now);
  return clocks_.silent_at(clock, leaf) <= now;
}

void CompositeIndex::tell_time(base::Instant now, CompositeFiring& firing) {
  WEIR_CHECK(now >= now_ && (dues_.is_empty() || dues_.first().at > now));
  now_ = now;
  passed_.clear();
  clocks_.pass(now, passed_);
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    if (i + 2 * kPrefetchDistance < passed_.size()) {
      __builtin_prefetch(&conjunctions_[passed_[i + 2 * kPrefetchDistance]]);
    }
    if (i + kPrefetchDistance < passed_.size()) {
      const Conjunction& next = conjunctions_[passed_[i + kPrefetchDistance]];
      for (std::uint32_t j = 0; j < next.leaf_count; ++j) {
        __builtin_prefetch(&leaves_[next.first_leaf + j]);
      }
    }
    pass_moments(passed_[i], now, firing);
  }
}

void CompositeIndex::pass_moments(std::uint32_t index, base::Instant now, CompositeFiring& firing) {
  Conjunction& conjunction = conjunctions_[index];
  const CompositeClocks::Number clock = conjunction.clock;
  now = clocks_.time_of(clock, now);
  if (conjunction.is_held && clocks_.held_until(clock) <= now) {
    conjunction.is_held = false;
    firing.released.push_back(composites_[conjunction.composite].id);
  }
  for (std::uint32_t i = 0; i < conjunction.leaf_count; ++i) {
    if (clocks_.silent_at(clock, i) > now) continue;
    Leaf& leaf = leaves_[conjunction.first_leaf + i];
    set_state(leaf, leaf.state, true);
  }
  set_ready(index);
  clocks_.schedule(clock, now);
}

std::optional<base::Instant> CompositeIndex::advance(base::Instant now, CompositeFiring& firing) {
  firing.clear();
  const std::optional<base::Instant> due = next_wake();
  if (!due || *due > now) return std::nullopt;
  fired_.clear();
  while (!dues_.is_empty() && dues_.first().at == *due) {
    const Moment moment = dues_.pop();
    if (is_due(moment)) fired_.push_back(moment.slot);
  }
  fire_all(*due, firing);
  tidy_dues();
  return due;
}

std::optional<base::Instant> CompositeIndex::next_wake() const {
  if (dues_.is_empty()) return std::nullopt;
  return dues_.first().at;
}

void CompositeIndex::set_due(std::uint32_t index, bool is_due) {
  Conjunction& conjunction = conjunctions_[index];
  if (conjunction.is_due == is_due) return;
  conjunction.is_due = is_due;
  if (!is_due) {
    --due_count_;
    return;
  }
  ++due_count_;
  dues_.push({clocks_.held_until(conjunction.clock), index});
}

bool CompositeIndex::is_due(const Moment& moment) const {
  const Conjunction& conjunction = conjunctions_[moment.slot];
  return conjunction.is_due && clocks_.held_until(conjunction.clock) == moment.at;
}

void CompositeIndex::tidy_dues() {
  while (!dues_.is_empty() && !is_due(dues_.first())) dues_.pop();
  dues_.tidy(due_count_, [&](const Moment& moment) { return is_due(moment); });
}

}  // namespace weir::match
