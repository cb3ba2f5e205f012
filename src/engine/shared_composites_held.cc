// SPDX-License-Identifier: Apache-2.0
// How SharedComposites counts the events that are held, without touching those for whom they are.
#include <algorithm>
#include <tuple>

#include "engine/shared_composites.h"

namespace weir::engine {

// An event counts for those who stay as they were by the sources that it moves. The others are
// looked at: for them it is held or not by what they have become.
void SharedComposites::count_held() {
  list_touched();
  for (Instance* const instance : touched_) settle_held(*instance);
  limited_.clear();
  for (const match::CompositeReading& reading : readings_) {
    if (streams_.source(reading.source).limited_count > 0) limited_.push_back(reading.source);
  }
  std::ranges::sort(limited_);
  held_tally_.count(limited_, {});
  for (Instance* const instance : touched_) {
    watch_held(*instance);
    const bool has_fired = std::ranges::binary_search(firing_.composites, instance->number, {},
                                                      &match::FiredComposite::id);
    if (!has_fired && is_held(*instance)) ++instance->member->held_count;
  }
}

void SharedComposites::list_touched() {
  touched_.clear();
  const auto touch = [&](std::uint64_t number) {
    Instance* const instance = instances_[number];
    if (instance->member->is_limited) touched_.push_back(instance);
  };
  for (const std::uint64_t number : firing_.released) touch(number);
  for (const match::TakenLeaf& taken : firing_.taken) touch(taken.id);
  for (const match::FiredComposite& fired : firing_.composites) touch(fired.id);
  std::ranges::sort(touched_, {}, &Instance::number);
  const auto repeated = std::ranges::unique(touched_);
  touched_.erase(repeated.begin(), repeated.end());
}

// Whether the event at hand is, which has not fired.
bool SharedComposites::is_held(const Instance& instance) const {
  for (std::size_t i = 0; i < instance.conjunctions.size(); ++i) {
    const bool reads = std::ranges::any_of(instance.conjunctions[i], [&](const Member::Leaf& leaf) {
      return std::ranges::find(readings_, leaf.source, &match::CompositeReading::source) !=
             readings_.end();
    });
    if (reads && is_held(instance, i)) return true;
  }
  return false;
}

// A first reading that is taken silently is not held.
bool SharedComposites::is_held(const Instance& instance, std::size_t conjunction) const {
  const auto view = index_.view(instance.number, conjunction);
  if (!view->is_held || view->due) return view->is_held;
  const auto place_of = [](const match::TakenLeaf& taken) {
    return std::tuple(taken.id, taken.place.conjunction);
  };
  const auto taken = std::ranges::equal_range(
      firing_.taken, std::tuple(std::uint64_t{instance.number}, conjunction), {}, place_of);
  std::size_t last_count = 0;
  for (std::size_t i = 0; i < instance.conjunctions[conjunction].size(); ++i) {
    last_count += index_.view(instance.number, {conjunction, i})->last ? 1U : 0U;
  }
  return last_count > taken.size();
}

std::uint64_t SharedComposites::held_since(const Instance& instance) const {
  if (instance.held_sources.empty()) return 0;
  return held_tally_.of(instance.held_sources).readings - instance.held_before;
}

void SharedComposites::settle_held(Instance& instance) const {
  instance.member->held_count += held_since(instance);
  instance.held_sources.clear();
}

// From the next event on.
void SharedComposites::watch_held(Instance& instance) const {
  instance.held_sources.clear();
  for (std::size_t i = 0; i < instance.conjunctions.size(); ++i) {
    if (!index_.view(instance.number, i)->is_held) continue;
    for (const Member::Leaf& leaf : instance.conjunctions[i]) {
      instance.held_sources.push_back(leaf.source);
    }
  }
  if (instance.held_sources.empty()) return;
  std::ranges::sort(instance.held_sources);
  const auto repeated = std::ranges::unique(instance.held_sources);
  instance.held_sources.erase(repeated.begin(), repeated.end());
  instance.held_before = held_tally_.of(instance.held_sources).readings;
}

std::uint64_t SharedComposites::held_count(const Member& member) const {
  std::uint64_t count = member.held_count;
  if (!member.is_limited) return count;
  for (const auto& [key, instance] : member.instances) count += held_since(instance);
  return count;
}

std::uint64_t SharedComposites::take_held_count(Member& member) {
  const std::uint64_t count = held_count(member);
  member.held_count = 0;
  for (auto& [key, instance] : member.instances) instance.held_before = 0;
  return count;
}

void SharedComposites::clear_tally() {
  tally_.clear();
  held_tally_.clear();
}

}  // namespace weir::engine
