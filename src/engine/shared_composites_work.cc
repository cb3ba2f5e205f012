// SPDX-License-Identifier: Apache-2.0
// What SharedComposites does bit by bit: members of many keys that get other thresholds, or leave.
#include <algorithm>
#include <utility>

#include "engine/shared_composites.h"

namespace weir::engine {

match::WorkBudget* SharedComposites::budget(SubscriptionId stream) const {
  return streams_.budget(stream_of(stream));
}

const std::vector<filter::Operand>& SharedComposites::keys(SubscriptionId stream) const {
  return streams_.change(stream_of(stream)).keys;
}

void SharedComposites::retune(Member& member, filter::FilterPtr filter, base::Instant now,
                              match::TextReader& reader) {
  member.filter = std::move(filter);
  member.conditions = conditions_of(*member.filter);
  ++member.tuning;
  if (!member.retuned_before) retuning_.push_back(&member);
  member.retuned_before.emplace();
  if (member.instances.size() > keys_at_once_) return;
  for (auto& [key, instance] : member.instances) retune(instance, now, reader);
  end_retuning(member);
}

void SharedComposites::end_retuning(Member& member) {
  if (!member.retuned_before) return;
  member.retuned_before.reset();
  std::erase(retuning_, &member);
}

void SharedComposites::retune(Instance& instance, base::Instant now, match::TextReader& reader) {
  Member& member = *instance.member;
  if (instance.tuning == member.tuning) return;
  instance.tuning = member.tuning;
  const auto dues = dues_after(instance, now, reader);
  index_.retune(instance.number, member.conditions);
  for (std::size_t i = 0; i < dues.size(); ++i) {
    if (dues[i]) index_.restore_due(instance.number, i, *dues[i]);
  }
}

// When its conjunctions are due by the new thresholds, as ChangeFilter has it; none if nothing is
// held back.
std::vector<std::optional<base::Instant>> SharedComposites::dues_after(
    Instance& instance, base::Instant now, match::TextReader& reader) const {
  std::vector<std::optional<base::Instant>> dues;
  const Member& member = *instance.member;
  bool is_held = false;
  for (std::size_t i = 0; member.is_limited && i < instance.conjunctions.size(); ++i) {
    is_held = is_held || index_.view(instance.number, i)->is_held;
  }
  if (!is_held) return dues;
  match::ChangeFilter change(member.filter, {.initial = member.initial});
  copy_state(instance.key, instance, change);
  change.retune(member.filter, std::max(now, member.floor), reader);
  const auto states = change.conjunction_states();
  if (states.empty()) return dues;
  for (const auto& state : states.begin()->second) {
    dues.push_back(state ? state->due : std::nullopt);
  }
  return dues;
}

void SharedComposites::work(std::size_t key_count, base::Instant now, match::TextReader& reader) {
  if (!has_work()) return;
  const std::size_t removed = remove_some(key_count);
  retune_some(key_count - removed, now, reader);
}

std::size_t SharedComposites::remove_some(std::size_t key_count) {
  std::size_t done = 0;
  while (done < key_count && !gone_.empty()) {
    Member& member = *gone_.front();
    done += remove_keys(member, key_count - done);
    if (!member.instances.empty()) break;
    release_streams(member);
    gone_.pop_front();
  }
  return done;
}

std::size_t SharedComposites::remove_keys(Member& member, std::size_t key_count) {
  std::size_t done = 0;
  for (; done < key_count && !member.instances.empty(); ++done) {
    remove(member, member.instances.begin()->second);
  }
  return done;
}

std::size_t SharedComposites::retune_some(std::size_t key_count, base::Instant now,
                                          match::TextReader& reader) {
  std::size_t done = 0;
  while (done < key_count && !retuning_.empty()) {
    Member& member = *retuning_.front();
    auto next = member.instances.lower_bound(*member.retuned_before);
    for (; next != member.instances.end() && done < key_count; ++next, ++done) {
      retune(next->second, now, reader);
    }
    if (next == member.instances.end()) {
      end_retuning(member);
    } else {
      member.retuned_before = next->first;
    }
  }
  return done;
}

}  // namespace weir::engine
