// SPDX-License-Identifier: Apache-2.0
#include "match/change/change_group.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "event/event_memory.h"

namespace weir::match {
namespace {

constexpr std::size_t kSourceBytes = 320;  // nodes of the containers and what the heap adds

void check_joiner(const ChangeGroup::Joiner& joiner) {
  WEIR_CHECK(std::isfinite(joiner.threshold) && joiner.threshold >= 0);
  WEIR_CHECK(joiner.id < std::numeric_limits<std::uint64_t>::max());
}

Initial other_than(Initial initial) {
  return initial == Initial::kDeliver ? Initial::kNone : Initial::kDeliver;
}

}  // namespace

void ChangeGroup::join(const Joiner& joiner) {
  check_joiner(joiner);
  const Position position{joiner.threshold, joiner.id};
  WEIR_CHECK(index_.insert(position));
  if (joiner.initial != options_.usual_initial) unusual_.insert(position);
  if (sources_.empty()) return;
  log_.join(position, joiner.initial);
  keep_log_short();
}

void ChangeGroup::join_all(const std::vector<Joiner>& joiners) {
  WEIR_CHECK(index_.size() == 0 && sources_.empty());
  std::vector<Position> all;
  std::vector<Position> unusual;
  all.reserve(joiners.size());
  for (const Joiner& joiner : joiners) {
    check_joiner(joiner);
    all.push_back({joiner.threshold, joiner.id});
    if (joiner.initial != options_.usual_initial) unusual.push_back(all.back());
  }
  index_.assign(std::move(all));
  unusual_.assign(std::move(unusual));
  WEIR_CHECK(index_.size() == joiners.size());
}

bool ChangeGroup::leave(std::uint64_t id, double threshold) {
  const Position position{threshold, id};
  if (!index_.erase(position)) return false;
  unusual_.erase(position);
  if (sources_.empty()) return true;
  log_.leave(position);
  keep_log_short();
  return true;
}

bool ChangeGroup::move(std::uint64_t id, double from, double to) {
  check_joiner({id, to});
  const Position before{from, id};
  const Position after{to, id};
  if (!index_.erase(before)) return false;
  WEIR_CHECK(index_.insert(after));
  if (unusual_.erase(before)) unusual_.insert(after);
  if (sources_.empty() || from == to) return true;
  log_.move(before, after);
  keep_log_short();
  return true;
}

void ChangeGroup::update(std::string_view key, double value, base::Instant now,
                         const event::EventPtr& event, Firing& firing) {
  firing.clear();
  retire(now);
  Sources::iterator source = find_or_add(key, now);
  if (source != sources_.end() && !take_memory(*source, event)) {
    drop(source);
    source = sources_.end();
  }
  ++counters_.readings.updates;
  if (source == sources_.end()) {
    ++counters_.overflow;
    fire_all(value, now, firing);
  } else {
    catch_up(*source);
    source->source.update(value, now, index_, scratch_, firing);
    if (options_.keep_events) source->event = event;
    firing.key = source->key;
    firing.event = source->event;
    set_active(source, now);
    schedule(source);
  }
  counters_.readings.fired += firing.id_count;
  counters_.readings.quiet += firing.id_count == 0 ? 1U : 0U;
}

void ChangeGroup::fire_all(double value, base::Instant now, Firing& firing) {
  firing.value = value;
  firing.at = now;
  firing.add(std::nullopt, index_, index_.begin(), index_.end());
}

std::optional<base::Instant> ChangeGroup::next_wake() const {
  if (wakes_.empty()) return std::nullopt;
  return wakes_.begin()->due;
}

bool ChangeGroup::advance(base::Instant now, Firing& firing) {
  firing.clear();
  if (wakes_.empty() || wakes_.begin()->due > now) return false;
  const auto [due, source] = *wakes_.begin();
  catch_up(*source);
  // Whoever was waiting may have left.
  if (source->source.next_wake() == due) {
    source->source.wake(index_, scratch_, firing);
    firing.key = source->key;
    firing.event = source->event;
    counters_.readings.fired += firing.id_count;
  }
  schedule(source);
  return true;
}

std::optional<LastDelivery> ChangeGroup::last(std::uint64_t id, double threshold,
                                              std::string_view key) {
  const Sources::iterator source = find(key);
  if (source == sources_.end() || !index_.contains({threshold, id})) return std::nullopt;
  catch_up(*source);
  return source->source.last({threshold, id});
}

std::optional<ChangeGroup::SourceView> ChangeGroup::source(std::string_view key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  return view(*found->second);
}

bool ChangeGroup::forget(std::uint64_t id, double threshold, std::string_view key) {
  const Sources::iterator source = find(key);
  if (source == sources_.end() || !index_.contains({threshold, id})) return false;
  const bool is_unusual = unusual_.contains({threshold, id});
  const Initial initial = is_unusual ? other_than(options_.usual_initial) : options_.usual_initial;
  set_state(source, {threshold, id}, PieceState::nothing(initial));
  return true;
}

bool ChangeGroup::set_last(std::uint64_t id, double threshold, std::string_view key,
                           const LastDelivery& last) {
  if (!index_.contains({threshold, id})) return false;
  const Sources::iterator source = find_or_add(key, last.at);
  if (source == sources_.end()) return false;
  set_state(source, {threshold, id}, source->source.state_of(last));
  keep_memory(*source);
  return true;
}

bool ChangeGroup::set_newest(std::string_view key, const Reading& newest,
                             const event::EventPtr& event) {
  const Sources::iterator source = find_or_add(key, newest.at);
  if (source == sources_.end()) return false;
  source->source.restore_newest(newest);
  source->event = event;
  keep_memory(*source);
  set_active(source, newest.at);
  schedule(source);
  return true;
}

void ChangeGroup::set_state(Sources::iterator source, Position position, const PieceState& state) {
  catch_up(*source);
  PieceMap& pieces = source->source.pieces();
  pieces.set(position, state);
  pieces.settle(position, index_);
  pieces.refresh();
  schedule(source);
}

ChangeGroup::SourceView ChangeGroup::view(const KeyedSource& source) const {
  return {source.key, source.source.newest(), source.event, source.source.counters(),
          source.source.pieces().size()};
}

ChangeGroup::Sources::iterator ChangeGroup::find(std::string_view key) {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? sources_.end() : found->second;
}

ChangeGroup::Sources::iterator ChangeGroup::find_or_add(std::string_view key, base::Instant now) {
  const Sources::iterator found = find(key);
  if (found != sources_.end() || sources_.size() >= options_.key_count_max) return found;
  sources_.push_back({std::string(key),
                      ChangeSource(options_.movement, options_.timing),
                      log_.last_number(),
                      now,
                      std::nullopt,
                      {},
                      0});
  const auto source = std::prev(sources_.end());
  by_key_.emplace(source->key, source);
  fill(source->source);
  return source;
}

// Nothing was delivered to anybody: as few pieces as the initials allow.
void ChangeGroup::fill(ChangeSource& source) const {
  const PieceState usual = PieceState::nothing(options_.usual_initial);
  const PieceState unusual = PieceState::nothing(other_than(options_.usual_initial));
  PieceMap& pieces = source.pieces();
  ThresholdIndex::Cursor cursor = index_.begin();
  ThresholdIndex::Cursor exception = unusual_.begin();
  while (cursor != index_.end()) {
    const bool none_left = exception == unusual_.end();
    const Position next = none_left ? Position::end() : unusual_.at(exception);
    const bool is_usual = index_.at(cursor) < next;
    pieces.append(index_.at(cursor), is_usual ? usual : unusual);
    if (is_usual) {
      cursor = index_.seek(cursor, next);
      continue;
    }
    while (cursor != index_.end() && exception != unusual_.end() &&
           index_.at(cursor) == unusual_.at(exception)) {
      cursor = index_.after(cursor);
      exception = unusual_.after(exception);
    }
  }
  pieces.refresh();
}

void ChangeGroup::set_active(Sources::iterator source, base::Instant at) {
  source->active_at = at;
  auto behind = sources_.end();
  while (behind != sources_.begin()) {
    const auto before = std::prev(behind);
    if (before != source && before->active_at <= at) break;
    behind = before;
  }
  if (behind != source) sources_.splice(behind, sources_, source);
}

// One that still has to say something stays.
void ChangeGroup::retire(base::Instant now) {
  while (options_.idle && !sources_.empty()) {
    const auto oldest = sources_.begin();
    if (oldest->active_at + *options_.idle > now || oldest->wake) return;
    drop(oldest);
    ++counters_.retired;
  }
}

void ChangeGroup::drop(Sources::iterator source) {
  if (source->wake) wakes_.erase({*source->wake, source});
  memory_.shrink(source->memory_bytes);
  by_key_.erase(source->key);
  sources_.erase(source);
}

std::size_t ChangeGroup::memory_bytes(const KeyedSource& source,
                                      const event::EventPtr& event) const {
  const bool is_kept = options_.keep_events && event != nullptr;
  return kSourceBytes + source.key.size() + source.source.pieces().size() * sizeof(Piece) +
         (is_kept ? event::memory_bytes(*event) : 0);
}

bool ChangeGroup::take_memory(KeyedSource& source, const event::EventPtr& event) {
  if (!options_.memory) return true;
  const std::size_t bytes = memory_bytes(source, event);
  const std::size_t taken = source.memory_bytes;
  if (bytes == taken) return true;
  if (bytes < taken) {
    memory_.shrink(taken - bytes);
  } else if (memory_.try_grow(bytes - taken) != nullptr) {
    return false;
  }
  source.memory_bytes = bytes;
  return true;
}

// What is restored is kept, whatever it takes.
void ChangeGroup::keep_memory(KeyedSource& source) {
  if (!options_.memory) return;
  const std::size_t bytes = memory_bytes(source, source.event);
  memory_.set(memory_.bytes() - source.memory_bytes + bytes);
  source.memory_bytes = bytes;
}

void ChangeGroup::catch_up(KeyedSource& source) {
  log_.apply(source.seen, index_, source.source);
  source.seen = log_.last_number();
}

void ChangeGroup::schedule(Sources::iterator source) {
  const std::optional<base::Instant> wake = source->source.next_wake();
  if (wake == source->wake) return;
  if (source->wake) wakes_.erase({*source->wake, source});
  if (wake) wakes_.insert({*wake, source});
  source->wake = wake;
}

// Now and then, so that a join pays little for it. What matters is at most a join for each
// subscriber; moves alone cannot be dropped, so if there are too many every source applies them.
void ChangeGroup::keep_log_short() {
  if (log_.size() <= log_size_max_) return;
  std::uint64_t seen_by_all = log_.last_number();
  for (const KeyedSource& source : sources_) seen_by_all = std::min(seen_by_all, source.seen);
  log_.drop(seen_by_all);
  const std::size_t slack = std::max(kLogSlackMin, sources_.size() / 4);
  if (log_.size() > slack / 2) log_.compact();
  if (log_.size() > index_.size() + slack) {
    for (KeyedSource& source : sources_) catch_up(source);
    log_.drop(log_.last_number());
  }
  log_size_max_ = 2 * log_.size() + slack;
}

std::size_t ChangeGroup::piece_count() const {
  std::size_t count = 0;
  for (const KeyedSource& source : sources_) count += source.source.pieces().size();
  return count;
}

std::size_t ChangeGroup::memory_bytes() const {
  constexpr std::size_t kListNodeBytes = 2 * sizeof(void*);
  constexpr std::size_t kSetNodeBytes = 4 * sizeof(void*) + sizeof(Wake);
  std::size_t bytes = index_.memory_bytes() + unusual_.memory_bytes() + log_.memory_bytes() +
                      scratch_.capacity() * sizeof(Piece) + wakes_.size() * kSetNodeBytes +
                      by_key_.bucket_count() * (sizeof(*by_key_.begin()) + 1);
  for (const KeyedSource& source : sources_) {
    bytes += kListNodeBytes + sizeof(KeyedSource) + source.source.pieces().memory_bytes();
    if (source.key.size() >= sizeof(std::string) / 2) bytes += source.key.capacity() + 1;
  }
  return bytes;
}

}  // namespace weir::match
