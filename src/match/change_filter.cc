// SPDX-License-Identifier: Apache-2.0
#include "match/change_filter.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "event/event_memory.h"
#include "match/event_key.h"

namespace weir::match {
namespace {

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

bool is_concerned(const filter::Change& change, const event::Event& event, TextReader& reader) {
  return change.condition == nullptr || filter::evaluate(*change.condition, event, reader);
}

bool silent(const filter::Change& change, base::Instant last_at, base::Instant now) {
  return change.silent_for.has_value() && last_at + *change.silent_for <= now;
}

// The instant before which the term must not be delivered again.
base::Instant earliest(const filter::Change& change, base::Instant last_at) {
  return change.at_most_every ? last_at + *change.at_most_every : last_at;
}

// Nodes of the maps and what the heap adds.
constexpr std::size_t kInstanceBytes = 256;
constexpr std::size_t kKeyCopies = 3;  // of the key itself, and in moments
constexpr std::size_t kTermCountBytes = 64;

std::size_t heap_bytes(const filter::Literal& literal) {
  const auto* const text = std::get_if<std::string>(&literal.value);
  return text == nullptr ? 0 : text->size();
}
std::size_t heap_bytes(const TermCounts& document) {
  std::size_t bytes = 0;
  for (const TermCount& count : document.counts) bytes += kTermCountBytes + count.term.size();
  return bytes;
}
template <typename Number>
std::size_t heap_bytes(const Number& /*number*/) {
  return 0;
}

}  // namespace

ChangeFilter::ChangeFilter(filter::FilterPtr filter, ChangeOptions options)
    : filter_(std::move(filter)),
      options_(std::move(options)),
      instances_(filter_->normal_form().conjunctions.size()),
      memory_(options_.memory) {}

ChangeVerdict ChangeFilter::update(const std::vector<std::uint32_t>& conjunctions,
                                   const event::EventPtr& event, base::Instant now,
                                   TextReader& reader, FiredEvents& fired) {
  const auto held = hold(event, event_count_++);
  Firings firings;
  ChangeVerdict best = ChangeVerdict::kNoReading;
  for (const std::uint32_t conjunction : conjunctions) {
    best = std::min(best, update_conjunction(conjunction, held, now, reader, firings));
  }
  firings.deliver(fired);
  return best;
}

ChangeVerdict ChangeFilter::update_conjunction(std::uint32_t conjunction, const HeldEventPtr& held,
                                               base::Instant now, TextReader& reader,
                                               Firings& firings) {
  const auto& changes = changes_of(conjunction);
  if (changes.empty()) {
    firings.add({held}, false);
    return ChangeVerdict::kFired;
  }
  Values values;
  const ChangeVerdict read = read_values(changes, *held->event, reader, values);
  if (read != ChangeVerdict::kFired) return read;
  retire_idle(now);
  const std::string key = event_key(change_of(changes[0]).keys, *held->event);
  Instance* const instance = find_or_add(conjunction, key);
  if (instance == nullptr) {
    firings.add({held}, changes.size() > 1);
    return ChangeVerdict::kFired;
  }
  note_reading(conjunction, key, *instance, now);
  const bool is_first = !has_last(*instance);
  take_values(*instance, values, held, now);
  if (!take_memory(key, *instance)) {
    erase(conjunction, instances_[conjunction].find(key));
    ++overflow_count_;
    firings.add({held}, changes.size() > 1);
    return ChangeVerdict::kFired;
  }
  const ChangeVerdict verdict = try_fire(conjunction, key, *instance, now, reader, firings);
  return verdict_of({verdict, instance->due}, is_first);
}

// kFired if at least one term has a reading in the event.
ChangeVerdict ChangeFilter::read_values(const std::vector<filter::ExprPtr>& changes,
                                        const event::Event& event, TextReader& reader,
                                        Values& values) {
  ChangeVerdict verdict = ChangeVerdict::kNoReading;
  for (const filter::ExprPtr& expr : changes) {
    const filter::Change& change = change_of(expr);
    const bool concerned = is_concerned(change, event, reader);
    values.push_back(concerned ? sample_of(change, event, reader) : std::nullopt);
    if (!concerned) continue;
    verdict = std::min(verdict, values.back() ? ChangeVerdict::kFired : ChangeVerdict::kNoValue);
  }
  return verdict;
}

ChangeFilter::Instance* ChangeFilter::find_or_add(std::uint32_t conjunction,
                                                  const std::string& key) {
  Instances& instances = instances_[conjunction];
  if (const auto found = instances.find(key); found != instances.end()) return &found->second;
  if (!has_room(key_count_)) {
    ++overflow_count_;
    return nullptr;
  }
  ++key_count_;
  const auto& changes = changes_of(conjunction);
  Instance instance{&changes, std::vector<Term>(changes.size())};
  return &instances.emplace(key, std::move(instance)).first->second;
}

bool ChangeFilter::has_room(std::size_t key_count) const {
  return key_count < options_.key_count_max &&
         !(options_.memory && options_.memory->is_exhausted());
}

HeldEventPtr ChangeFilter::hold(const event::EventPtr& event, std::uint64_t order,
                                bool delivered) const {
  const bool is_counted = event != nullptr && options_.memory != nullptr;
  return std::make_shared<HeldEvent>(
      HeldEvent{event, order, delivered, is_counted ? event::memory_bytes(*event) : 0});
}

// A value becomes the last one too. An event that several terms have counts once if they are
// neighbours.
std::size_t ChangeFilter::memory_bytes(std::string_view key, const Instance& instance) {
  std::size_t bytes = kInstanceBytes + kKeyCopies * key.size();
  const HeldEvent* before = nullptr;
  for (const Term& term : instance.terms) {
    bytes += sizeof(Term);
    if (term.current) {
      bytes += 2 * std::visit([](const auto& value) { return heap_bytes(value); }, *term.current);
    }
    if (term.held && term.held.get() != before) bytes += term.held->memory_bytes;
    if (term.previous) bytes += term.previous->memory_bytes;
    before = term.held.get();
  }
  return bytes;
}

bool ChangeFilter::take_memory(std::string_view key, Instance& instance) {
  if (!options_.memory) return true;
  const std::size_t bytes = memory_bytes(key, instance);
  const std::size_t taken = instance.memory_bytes;
  if (bytes <= taken) {
    memory_.shrink(taken - bytes);
  } else if (memory_.try_grow(bytes - taken) != nullptr) {
    return false;
  }
  instance.memory_bytes = bytes;
  return true;
}

void ChangeFilter::keep_memory(std::string_view key, Instance& instance) {
  if (!options_.memory) return;
  instance.memory_bytes = memory_bytes(key, instance);
  memory_.grow(instance.memory_bytes);
}

void ChangeFilter::take_values(Instance& instance, const Values& values, const HeldEventPtr& held,
                               base::Instant now) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    const filter::Change& change = change_of((*instance.changes)[i]);
    Term& term = instance.terms[i];
    if (change.with_previous) term.previous = std::move(term.held);
    term.current = values[i];
    term.held = held;
    if (!term.last && options_.initial == Initial::kNone) {
      term.last = remember(change.movement, *term.current);
      term.last_at = now;
    } else if (term.last && turns_silently(change.movement, *term.last, *term.current)) {
      term.last = remember(change.movement, *term.last, *term.current);
    }
  }
}

// What the terms' values mean at this instant.
ChangeFilter::Judgement ChangeFilter::judge(const Instance& instance, base::Instant now,
                                            TextReader& reader) {
  base::Instant ready = now;
  bool wants = true;
  for (std::size_t i = 0; i < instance.terms.size(); ++i) {
    const Term& term = instance.terms[i];
    const filter::Change& change = change_of((*instance.changes)[i]);
    wants = wants && term.current &&
            (!term.last || is_satisfied(change.movement, *term.last, *term.current, reader) ||
             silent(change, term.last_at, now));
    if (term.last) ready = std::max(ready, earliest(change, term.last_at));
  }
  if (ready > now) return {ChangeVerdict::kHeld, wants ? std::optional(ready) : std::nullopt};
  return {wants ? ChangeVerdict::kFired : ChangeVerdict::kWithinThreshold, std::nullopt};
}

ChangeVerdict ChangeFilter::try_fire(std::uint32_t conjunction, const std::string& key,
                                     Instance& instance, base::Instant now, TextReader& reader,
                                     Firings& firings) {
  const Judgement judgement = judge(instance, now, reader);
  reschedule(conjunction, key, instance, judgement.due);
  if (judgement.verdict == ChangeVerdict::kFired) fire(instance, now, firings);
  return judgement.verdict;
}

void ChangeFilter::fire(Instance& instance, base::Instant now, Firings& firings) {
  std::vector<HeldEventPtr> events;
  for (std::size_t i = 0; i < instance.terms.size(); ++i) {
    const filter::Movement& movement = change_of((*instance.changes)[i]).movement;
    Term& term = instance.terms[i];
    term.last = term.last ? remember(movement, *term.last, *term.current)
                          : remember(movement, *term.current);
    term.last_at = now;
    if (term.previous != nullptr && !term.previous->delivered) events.push_back(term.previous);
    events.push_back(term.held);
  }
  firings.add(std::move(events), instance.terms.size() > 1);
}

void ChangeFilter::reschedule(std::uint32_t conjunction, const std::string& key, Instance& instance,
                              std::optional<base::Instant> due) {
  if (instance.due == due) return;
  if (instance.due) wakes_.erase({*instance.due, conjunction, key});
  if (due) wakes_.insert({*due, conjunction, key});
  instance.due = due;
}

void ChangeFilter::note_reading(std::uint32_t conjunction, const std::string& key,
                                Instance& instance, base::Instant now) {
  if (options_.idle) {
    readings_.erase({instance.read_at, conjunction, key});
    readings_.insert({now, conjunction, key});
  }
  instance.read_at = now;
}

bool ChangeFilter::is_idle(const Instance& instance, base::Instant now) const {
  return options_.idle && !instance.due && instance.read_at + *options_.idle <= now;
}

std::size_t ChangeFilter::idle_count(base::Instant now) const {
  return static_cast<std::size_t>(std::ranges::count_if(readings_, [&](const Moment& reading) {
    return is_idle(instances_[reading.conjunction].find(reading.key)->second, now);
  }));
}

void ChangeFilter::retire_idle(base::Instant now) {
  for (auto next = readings_.begin();
       next != readings_.end() && next->at + *options_.idle <= now;) {
    const Moment reading = *next++;
    const auto entry = instances_[reading.conjunction].find(reading.key);
    if (is_idle(entry->second, now)) erase(reading.conjunction, entry);
  }
}

void ChangeFilter::erase(std::uint32_t conjunction, Instances::iterator entry) {
  reschedule(conjunction, entry->first, entry->second, std::nullopt);
  readings_.erase({entry->second.read_at, conjunction, entry->first});
  memory_.shrink(entry->second.memory_bytes);
  instances_[conjunction].erase(entry);
  --key_count_;
}

bool ChangeFilter::forget(const event::Event& event, base::Instant now) {
  retire_idle(now);
  bool known = false;
  for (std::uint32_t conjunction = 0; conjunction < instances_.size(); ++conjunction) {
    const auto& changes = changes_of(conjunction);
    if (changes.empty()) continue;
    const auto entry = instances_[conjunction].find(event_key(change_of(changes[0]).keys, event));
    if (entry == instances_[conjunction].end()) continue;
    erase(conjunction, entry);
    known = true;
  }
  return known;
}

// All that is due at one instant is one delivery.
void ChangeFilter::advance(base::Instant now, TextReader& reader, FiredEvents& fired) {
  while (!wakes_.empty() && wakes_.begin()->at <= now) {
    const base::Instant due = wakes_.begin()->at;
    Firings firings;
    while (!wakes_.empty() && wakes_.begin()->at == due) {
      const Moment wake = *wakes_.begin();
      Instance& instance = instances_[wake.conjunction].find(wake.key)->second;
      try_fire(wake.conjunction, wake.key, instance, due, reader, firings);
    }
    firings.deliver(fired);
  }
}

std::optional<base::Instant> ChangeFilter::next_wake() const {
  if (wakes_.empty()) return std::nullopt;
  return wakes_.begin()->at;
}

void ChangeFilter::retune(filter::FilterPtr filter, base::Instant now, TextReader& reader) {
  filter_ = std::move(filter);
  for (std::uint32_t conjunction = 0; conjunction < instances_.size(); ++conjunction) {
    for (auto& [key, instance] : instances_[conjunction]) {
      instance.changes = &changes_of(conjunction);
      bool is_held = false;
      for (std::size_t i = 0; i < instance.terms.size(); ++i) {
        is_held = is_held || (is_held_back(instance, i) && is_awaited(instance, i));
      }
      const auto due = judge(instance, instance.read_at, reader).due;
      const bool may_wait = instance.due || (is_held && due && *due > now);
      if (may_wait) reschedule(conjunction, key, instance, due);
    }
  }
}

ChangeVerdict ChangeFilter::preview(const std::vector<std::uint32_t>& conjunctions,
                                    const event::EventPtr& event, base::Instant now,
                                    TextReader& reader) const {
  ChangeVerdict best = ChangeVerdict::kNoReading;
  std::size_t key_count = key_count_ - idle_count(now);
  for (const std::uint32_t conjunction : conjunctions) {
    best = std::min(best, preview_conjunction(conjunction, event, now, reader, key_count));
  }
  return best;
}

// `key_count` is how many keys there would be by then.
ChangeVerdict ChangeFilter::preview_conjunction(std::uint32_t conjunction,
                                                const event::EventPtr& event, base::Instant now,
                                                TextReader& reader, std::size_t& key_count) const {
  const auto& changes = changes_of(conjunction);
  if (changes.empty()) return ChangeVerdict::kFired;
  Values values;
  const ChangeVerdict read = read_values(changes, *event, reader, values);
  if (read != ChangeVerdict::kFired) return read;
  const Instance* const found =
      find_live(conjunction, event_key(change_of(changes[0]).keys, *event), now);
  if (found == nullptr && !has_room(key_count)) return ChangeVerdict::kFired;
  if (found == nullptr) ++key_count;
  Instance copy = found != nullptr ? *found : Instance{&changes, std::vector<Term>(changes.size())};
  const bool is_first = !has_last(copy);
  take_values(copy, values, std::make_shared<HeldEvent>(HeldEvent{event, event_count_}), now);
  return verdict_of(judge(copy, now, reader), is_first);
}

bool ChangeFilter::has_last(const Instance& instance) {
  return std::ranges::any_of(instance.terms,
                             [](const Term& term) { return term.last.has_value(); });
}

// What becomes of a reading: a first one that is taken silently is not held.
ChangeVerdict ChangeFilter::verdict_of(const Judgement& judgement, bool is_first) {
  const bool is_taken =
      is_first && judgement.verdict == ChangeVerdict::kHeld && !judgement.due.has_value();
  return is_taken ? ChangeVerdict::kWithinThreshold : judgement.verdict;
}

ChangeReading ChangeFilter::reading(const filter::Change& change, const event::Event& event,
                                    base::Instant now, TextReader& reader) const {
  ChangeReading reading;
  if (is_concerned(change, event, reader)) reading.value = sample_of(change, event, reader);
  if (const Term* const term = find_term(change, event_key(change.keys, event), now)) {
    if (!reading.value) reading.value = term->current;
    reading.last = term->last;
    reading.silent = term->last && silent(change, term->last_at, now);
    reading.held = term->last && earliest(change, term->last_at) > now;
  }
  if (!reading.value) return reading;
  if (!reading.last) {
    reading.satisfied = options_.initial == Initial::kDeliver;
    return reading;
  }
  reading.satisfied =
      is_satisfied(change.movement, *reading.last, *reading.value, reader) || reading.silent;
  if (const auto* const rewords = std::get_if<filter::Rewords>(&change.movement)) {
    reading.text_distance = reader.distance(rewords->source, std::get<TermCounts>(*reading.last),
                                            std::get<TermCounts>(*reading.value));
  }
  return reading;
}

const ChangeFilter::Instance* ChangeFilter::find_live(std::uint32_t conjunction,
                                                      const std::string& key,
                                                      base::Instant now) const {
  const auto found = instances_[conjunction].find(key);
  const bool is_live = found != instances_[conjunction].end() && !is_idle(found->second, now);
  return is_live ? &found->second : nullptr;
}

const ChangeFilter::Term* ChangeFilter::find_term(const filter::Change& change,
                                                  const std::string& key, base::Instant now) const {
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    const Instance* const found = find_live(i, key, now);
    if (found == nullptr) continue;
    const auto& changes = *found->changes;
    for (std::size_t j = 0; j < changes.size(); ++j) {
      if (change_of(changes[j]) == change) return &found->terms[j];
    }
  }
  return nullptr;
}

std::vector<std::pair<std::string, ChangeFilter::KeyState>> ChangeFilter::key_states() const {
  std::vector<const Instances::value_type*> entries;
  for (const auto& entry : instances_.front()) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const Instances::value_type* entry) {
    const auto& held = entry->second.terms.front().held;
    return std::tuple(entry->second.read_at, held ? held->order : 0, entry->first);
  });
  std::vector<std::pair<std::string, KeyState>> states;
  for (const Instances::value_type* const entry : entries) {
    const auto& [key, instance] = *entry;
    const Term& term = instance.terms.front();
    KeyState state{.last = std::nullopt, .last_at = term.last_at, .read_at = instance.read_at};
    if (term.last) state.last = std::get<double>(*term.last);
    if (term.current) state.current = std::get<double>(*term.current);
    if (is_awaited(instance, 0)) state.held = term.held->event;
    state.is_waiting = instance.due.has_value();
    states.emplace_back(key, std::move(state));
  }
  return states;
}

void ChangeFilter::put(std::string_view key, const KeyState& state) {
  const auto& changes = changes_of(0);
  const filter::Change& change = change_of(changes.front());
  const bool has_news =
      state.is_waiting && state.held && state.last && state.current &&
      (has_moved(std::get<filter::Moves>(change.movement), *state.last, *state.current) ||
       silent(change, state.last_at, state.read_at));
  const base::Instant ready = earliest(change, state.last_at);
  const bool is_held = has_news && ready > state.read_at;
  Instance instance{&changes, std::vector<Term>(1)};
  Term& term = instance.terms.front();
  if (state.last) term.last = *state.last;
  if (state.current) term.current = *state.current;
  term.last_at = state.last_at;
  instance.read_at = state.read_at;
  term.held = hold(state.held, event_count_++);
  term.held->delivered = !state.held || !(state.is_waiting || is_held_back(instance, 0));
  const auto added = instances_.front().emplace(key, std::move(instance)).first;
  ++key_count_;
  keep_memory(added->first, added->second);
  note_reading(0, added->first, added->second, state.read_at);
  reschedule(0, added->first, added->second, is_held ? std::optional(ready) : std::nullopt);
}

}  // namespace weir::match
