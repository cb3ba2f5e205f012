// SPDX-License-Identifier: Apache-2.0
#include "match/change/composite_clocks.h"

namespace weir::match {
namespace {

constexpr std::size_t kPrefetchDistance = 8;

}  // namespace

CompositeClocks::Number CompositeClocks::add(std::uint32_t conjunction,
                                             std::span<const ChangeTiming> leaves,
                                             base::Instant floor) {
  const Number number = clocks_.take(1);
  Clock& clock = clocks_[number];
  clock.floor = floor;
  clock.conjunction = conjunction;
  clock.leaf_count = static_cast<std::uint32_t>(leaves.size());
  clock.first_leaf = leaves_.take(clock.leaf_count);
  for (std::uint32_t i = 0; i < clock.leaf_count; ++i) {
    LeafClock& leaf = leaves_[clock.first_leaf + i];
    leaf.silent_for = leaves[i].silent_for.value_or(leaf.silent_for);
    leaf.at_most_every = leaves[i].at_most_every.value_or(leaf.at_most_every);
  }
  return number;
}

void CompositeClocks::remove(Number number) {
  const Clock clock = clocks_[number];
  if (clock.queued_at != kNever) --queued_count_;
  leaves_.give_back(clock.first_leaf, clock.leaf_count);
  clocks_.give_back(number, 1);
}

void CompositeClocks::start(Number number, std::uint32_t leaf, base::Instant at) {
  Clock& clock = clocks_[number];
  LeafClock& started = leaves_[clock.first_leaf + leaf];
  started.silent_at = at + started.silent_for;
  clock.held_until = std::max(clock.held_until, at + started.at_most_every);
}

void CompositeClocks::stop(Number number) {
  Clock& clock = clocks_[number];
  clock.held_until = kLongAgo;
  for (std::uint32_t i = 0; i < clock.leaf_count; ++i) {
    leaves_[clock.first_leaf + i].silent_at = kNever;
  }
}

base::Instant CompositeClocks::next_moment(const Clock& clock, base::Instant after) const {
  base::Instant next = clock.held_until > after ? clock.held_until : kNever;
  for (std::uint32_t i = 0; i < clock.leaf_count; ++i) {
    const base::Instant silent_at = leaves_[clock.first_leaf + i].silent_at;
    if (silent_at > after) next = std::min(next, silent_at);
  }
  return next;
}

void CompositeClocks::schedule(Number number, base::Instant after) {
  Clock& clock = clocks_[number];
  const base::Instant next = next_moment(clock, after);
  if (next >= clock.queued_at) return;
  if (clock.queued_at == kNever) ++queued_count_;
  clock.queued_at = next;
  queue_.push({next, number});
  queue_.tidy(queued_count_,
              [&](const Moment& moment) { return clocks_[moment.slot].queued_at == moment.at; });
}

void CompositeClocks::pass(base::Instant now, std::vector<std::uint32_t>& conjunctions) {
  passed_.clear();
  queue_.pass(now, passed_);
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    if (i + kPrefetchDistance < passed_.size()) {
      __builtin_prefetch(&clocks_[passed_[i + kPrefetchDistance].slot]);
    }
    Clock& clock = clocks_[passed_[i].slot];
    if (clock.queued_at != passed_[i].at) continue;
    clock.queued_at = kNever;
    --queued_count_;
    conjunctions.push_back(clock.conjunction);
  }
}

}  // namespace weir::match
