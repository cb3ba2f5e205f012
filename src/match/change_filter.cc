// SPDX-License-Identifier: Apache-2.0
#include "match/change_filter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "match/event_key.h"

namespace weir::match {
namespace {

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

std::optional<double> finite_number(const filter::Change& change, const event::Event& event) {
  const event::Value value = filter::resolve(change.value, event);
  if (!value.is_number() || !std::isfinite(value.as_number())) return std::nullopt;
  return value.as_number();
}

bool moved(const filter::Change& change, double last, double current) {
  const double distance = std::abs(current - last);
  const double threshold =
      change.percent ? change.threshold / 100 * std::abs(last) : change.threshold;
  if (change.percent && last == 0) return distance > 0;
  return change.inclusive ? distance >= threshold : distance > threshold;
}

bool silent(const filter::Change& change, base::Instant last_at, base::Instant now) {
  return change.silent_for.has_value() && last_at + *change.silent_for <= now;
}

// The instant before which the term must not be delivered again.
base::Instant earliest(const filter::Change& change, base::Instant last_at) {
  return change.at_most_every ? last_at + *change.at_most_every : last_at;
}

}  // namespace

ChangeFilter::ChangeFilter(filter::FilterPtr filter, ChangeOptions options)
    : filter_(std::move(filter)),
      options_(options),
      instances_(filter_->normal_form().conjunctions.size()) {}

ChangeVerdict ChangeFilter::update(const std::vector<std::uint32_t>& conjunctions,
                                   const event::EventPtr& event, base::Instant now,
                                   filter::Scorer& scorer,
                                   std::vector<event::EventPtr>& delivered) {
  const auto held = std::make_shared<Held>(Held{event, event_count_++});
  std::vector<std::shared_ptr<Held>> fired;
  ChangeVerdict best = ChangeVerdict::kNoReading;
  for (const std::uint32_t conjunction : conjunctions) {
    best = std::min(best, update_conjunction(conjunction, held, now, scorer, fired));
  }
  deliver(fired, delivered);
  return best;
}

ChangeVerdict ChangeFilter::update_conjunction(std::uint32_t conjunction,
                                               const std::shared_ptr<Held>& held, base::Instant now,
                                               filter::Scorer& scorer,
                                               std::vector<std::shared_ptr<Held>>& fired) {
  const auto& changes = filter_->normal_form().conjunctions[conjunction].changes;
  if (changes.empty()) {
    fired.push_back(held);
    return ChangeVerdict::kFired;
  }
  Values values;
  const ChangeVerdict read = read_values(changes, *held->event, scorer, values);
  if (read != ChangeVerdict::kFired) return read;
  const std::string key = event_key(change_of(changes[0]).keys, *held->event);
  Instance* const instance = find_or_add(conjunction, key);
  if (instance == nullptr) {
    fired.push_back(held);
    return ChangeVerdict::kFired;
  }
  take_values(*instance, values, held, now);
  return try_fire(conjunction, key, *instance, now, fired);
}

// kFired if at least one term has a reading in the event.
ChangeVerdict ChangeFilter::read_values(const std::vector<filter::ExprPtr>& changes,
                                        const event::Event& event, filter::Scorer& scorer,
                                        Values& values) {
  ChangeVerdict verdict = ChangeVerdict::kNoReading;
  for (const filter::ExprPtr& expr : changes) {
    const filter::Change& change = change_of(expr);
    const bool concerned =
        change.condition == nullptr || filter::evaluate(*change.condition, event, scorer);
    values.push_back(concerned ? finite_number(change, event) : std::nullopt);
    if (!concerned) continue;
    verdict = std::min(verdict, values.back() ? ChangeVerdict::kFired : ChangeVerdict::kNoValue);
  }
  return verdict;
}

ChangeFilter::Instance* ChangeFilter::find_or_add(std::uint32_t conjunction,
                                                  const std::string& key) {
  Instances& instances = instances_[conjunction];
  if (const auto found = instances.find(key); found != instances.end()) return &found->second;
  if (key_count_ >= options_.key_count_max) {
    ++overflow_count_;
    return nullptr;
  }
  ++key_count_;
  const auto& changes = filter_->normal_form().conjunctions[conjunction].changes;
  Instance instance{&changes, std::vector<Term>(changes.size()), std::nullopt};
  return &instances.emplace(key, std::move(instance)).first->second;
}

void ChangeFilter::take_values(Instance& instance, const Values& values,
                               const std::shared_ptr<Held>& held, base::Instant now) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    Term& term = instance.terms[i];
    term.current = values[i];
    term.held = held;
    if (!term.last && options_.initial == Initial::kNone) {
      term.last = values[i];
      term.last_at = now;
    }
  }
}

// What the terms' values mean at this instant; `ready` tells when a held instance may fire.
ChangeVerdict ChangeFilter::judge(const Instance& instance, base::Instant now,
                                  base::Instant& ready) {
  ready = now;
  for (std::size_t i = 0; i < instance.terms.size(); ++i) {
    const Term& term = instance.terms[i];
    const filter::Change& change = change_of((*instance.changes)[i]);
    const bool wants = term.current && (!term.last || moved(change, *term.last, *term.current) ||
                                        silent(change, term.last_at, now));
    if (!wants) return ChangeVerdict::kWithinThreshold;
    if (term.last) ready = std::max(ready, earliest(change, term.last_at));
  }
  return ready > now ? ChangeVerdict::kHeld : ChangeVerdict::kFired;
}

ChangeVerdict ChangeFilter::try_fire(std::uint32_t conjunction, const std::string& key,
                                     Instance& instance, base::Instant now,
                                     std::vector<std::shared_ptr<Held>>& fired) {
  base::Instant ready;
  const ChangeVerdict verdict = judge(instance, now, ready);
  const bool held = verdict == ChangeVerdict::kHeld;
  reschedule(conjunction, key, instance, held ? std::optional(ready) : std::nullopt);
  if (verdict != ChangeVerdict::kFired) return verdict;
  for (Term& term : instance.terms) {
    term.last = term.current;
    term.last_at = now;
    fired.push_back(term.held);
  }
  return verdict;
}

void ChangeFilter::reschedule(std::uint32_t conjunction, const std::string& key, Instance& instance,
                              std::optional<base::Instant> due) {
  if (instance.due == due) return;
  if (instance.due) wakes_.erase({*instance.due, conjunction, key});
  if (due) wakes_.insert({*due, conjunction, key});
  instance.due = due;
}

void ChangeFilter::deliver(std::vector<std::shared_ptr<Held>>& fired,
                           std::vector<event::EventPtr>& delivered) {
  std::ranges::sort(fired, {}, [](const std::shared_ptr<Held>& held) { return held->order; });
  for (const std::shared_ptr<Held>& held : fired) {
    if (!std::exchange(held->delivered, true)) delivered.push_back(held->event);
  }
}

void ChangeFilter::advance(base::Instant now, std::vector<event::EventPtr>& delivered) {
  while (!wakes_.empty() && wakes_.begin()->due <= now) {
    const Wake wake = *wakes_.begin();
    Instance& instance = instances_[wake.conjunction].find(wake.key)->second;
    std::vector<std::shared_ptr<Held>> fired;
    try_fire(wake.conjunction, wake.key, instance, wake.due, fired);
    deliver(fired, delivered);
  }
}

std::optional<base::Instant> ChangeFilter::next_wake() const {
  if (wakes_.empty()) return std::nullopt;
  return wakes_.begin()->due;
}

ChangeVerdict ChangeFilter::preview(const std::vector<std::uint32_t>& conjunctions,
                                    const event::EventPtr& event, base::Instant now,
                                    filter::Scorer& scorer) const {
  const auto held = std::make_shared<Held>(Held{event, event_count_});
  ChangeVerdict best = ChangeVerdict::kNoReading;
  for (const std::uint32_t conjunction : conjunctions) {
    const auto& changes = filter_->normal_form().conjunctions[conjunction].changes;
    if (changes.empty()) return ChangeVerdict::kFired;
    Values values;
    ChangeVerdict verdict = read_values(changes, *event, scorer, values);
    if (verdict == ChangeVerdict::kFired) {
      const Instances& instances = instances_[conjunction];
      const auto found = instances.find(event_key(change_of(changes[0]).keys, *event));
      const bool forgotten = found == instances.end() && key_count_ >= options_.key_count_max;
      Instance copy = found != instances.end()
                          ? found->second
                          : Instance{&changes, std::vector<Term>(changes.size()), std::nullopt};
      base::Instant ready;
      take_values(copy, values, held, now);
      if (!forgotten) verdict = judge(copy, now, ready);
    }
    best = std::min(best, verdict);
  }
  return best;
}

ChangeReading ChangeFilter::reading(const filter::Change& change, const event::Event& event,
                                    base::Instant now, filter::Scorer& scorer) const {
  ChangeReading reading;
  const bool concerned =
      change.condition == nullptr || filter::evaluate(*change.condition, event, scorer);
  if (concerned) reading.value = finite_number(change, event);
  if (const Term* const term = find_term(change, event_key(change.keys, event))) {
    if (!reading.value) reading.value = term->current;
    reading.last = term->last;
    reading.silent = term->last && silent(change, term->last_at, now);
    reading.held = term->last && earliest(change, term->last_at) > now;
  }
  if (!reading.value) return reading;
  reading.satisfied = reading.last ? moved(change, *reading.last, *reading.value) || reading.silent
                                   : options_.initial == Initial::kDeliver;
  return reading;
}

const ChangeFilter::Term* ChangeFilter::find_term(const filter::Change& change,
                                                  const std::string& key) const {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const auto found = instances_[i].find(key);
    if (found == instances_[i].end()) continue;
    const auto& changes = *found->second.changes;
    for (std::size_t j = 0; j < changes.size(); ++j) {
      if (change_of(changes[j]) == change) return &found->second.terms[j];
    }
  }
  return nullptr;
}

}  // namespace weir::match
