// SPDX-License-Identifier: Apache-2.0
#include "broker/outbox.h"

#include <algorithm>

#include "base/check.h"

namespace weir::broker {

std::uint64_t Outbox::push(std::uint64_t matched_at, const Content& content) {
  const std::uint64_t number = ++last_number_;
  add(number, matched_at, content);
  return number;
}

void Outbox::restore(std::uint64_t number, std::uint64_t matched_at, const Content& content) {
  WEIR_CHECK(number > last_number_);
  last_number_ = number;
  sent_through_ = number;
  add(number, matched_at, content);
}

void Outbox::add(std::uint64_t number, std::uint64_t matched_at, const Content& content) {
  const auto& [sequences, source, annotation] = content;
  const bool is_group = sequences.size() > 1;
  if (options_.policy == OutboxPolicy::kConflate && !is_group && !source.empty()) {
    conflate(source, number);
  }
  make_room();
  entries_.push_back({number, matched_at, sequences.front()});
  if (is_group) groups_.emplace(number, std::vector(sequences.begin(), sequences.end()));
  if (!annotation.empty()) annotations_.emplace(number, annotation);
  ++live_count_;
}

// Takes out the delivery of the same source, unless it is on its way already.
void Outbox::conflate(std::string_view source, std::uint64_t number) {
  auto found = newest_.find(source);
  if (found == newest_.end()) {
    found = newest_.emplace(std::string(source), number).first;
  } else {
    const std::uint64_t older = found->second;
    sources_.erase(older);
    found->second = number;
    const auto entry = std::ranges::lower_bound(entries_, older, {}, &Entry::number);
    if (older > position_ && entry != entries_.end() && entry->number == older) {
      entry->sequence = 0;
      annotations_.erase(older);
      --live_count_;
      ++conflated_count_;
      while (!entries_.empty() && entries_.front().sequence == 0) entries_.pop_front();
    }
  }
  sources_.emplace(number, found);
}

void Outbox::make_room() {
  if (options_.policy == OutboxPolicy::kBlock) return;
  while (live_count_ >= options_.count_max && !entries_.empty()) {
    if (entries_.front().number > sent_through_) ++dropped_count_;
    pop_front();
  }
}

void Outbox::pop_front() {
  const std::uint64_t number = entries_.front().number;
  if (const auto source = sources_.find(number); source != sources_.end()) {
    newest_.erase(source->second);
    sources_.erase(source);
  }
  groups_.erase(number);
  annotations_.erase(number);
  --live_count_;
  acknowledged_ = number;
  entries_.pop_front();
  while (!entries_.empty() && entries_.front().sequence == 0) entries_.pop_front();
}

OutboxEntry Outbox::shown(const Entry& entry) const {
  const auto group = groups_.find(entry.number);
  const auto annotation = annotations_.find(entry.number);
  return {.number = entry.number,
          .matched_at = entry.matched_at,
          .sequences = group == groups_.end() ? std::vector{entry.sequence} : group->second,
          .annotation = annotation == annotations_.end() ? std::string() : annotation->second,
          .redelivered = entry.number <= sent_through_};
}

std::vector<OutboxEntry> Outbox::peek(std::size_t count_max) const {
  std::vector<OutboxEntry> next;
  auto entry = std::ranges::upper_bound(entries_, position_, {}, &Entry::number);
  for (; entry != entries_.end() && next.size() < count_max; ++entry) {
    if (entry->sequence != 0) next.push_back(shown(*entry));
  }
  return next;
}

void Outbox::mark_sent(std::uint64_t through_number) {
  position_ = std::max(position_, through_number);
  sent_through_ = std::max(sent_through_, through_number);
}

void Outbox::restore_acknowledged(std::uint64_t number) {
  WEIR_CHECK(entries_.empty());
  last_number_ = number;
  acknowledged_ = number;
  position_ = number;
  sent_through_ = number;
}

void Outbox::rewind() { position_ = acknowledged_; }

std::optional<std::size_t> Outbox::acknowledge(std::uint64_t number) {
  if (number > sent_through_) return std::nullopt;
  const std::size_t before = live_count_;
  while (!entries_.empty() && entries_.front().number <= number) pop_front();
  acknowledged_ = std::max(acknowledged_, number);
  position_ = std::max(position_, number);
  return before - live_count_;
}

void Outbox::set_bounds(OutboxPolicy policy, std::size_t count_max) {
  if (policy != OutboxPolicy::kConflate) {
    newest_.clear();
    sources_.clear();
  }
  options_.policy = policy;
  options_.count_max = count_max;
  if (policy == OutboxPolicy::kBlock) return;
  while (live_count_ > count_max) {
    if (entries_.front().number > sent_through_) ++dropped_count_;
    pop_front();
  }
}

std::optional<OutboxEntry> Outbox::oldest() const {
  if (entries_.empty()) return std::nullopt;
  return shown(entries_.front());
}

std::optional<std::uint64_t> Outbox::oldest_matched_at() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.front().matched_at;
}

}  // namespace weir::broker
