// SPDX-License-Identifier: Apache-2.0
// The state of a ChangeFilter as bytes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "match/change_filter.h"

namespace weir::match {
namespace {

// What a term has.
constexpr std::uint8_t kLast = 1;
constexpr std::uint8_t kCurrent = 2;
constexpr std::uint8_t kKept = 4;      // its event may still be delivered, or again
constexpr std::uint8_t kPrevious = 8;  // the event before it may still be delivered

constexpr std::size_t kEventBytesMin = 2;
constexpr std::size_t kInstanceBytesMin = 2;

// An event in a state was within the limits of its time.
constexpr event::EventLimits kEventLimits = {
    .json = {.text_bytes_max = std::numeric_limits<std::size_t>::max(), .depth_max = 10'000},
    .attribute_count_max = 65'534,
    .attribute_name_bytes_max = std::numeric_limits<std::size_t>::max()};

base::Error corrupt(std::string message) {
  return {base::ErrorId::kStoreCorrupt, std::move(message), std::nullopt};
}

void write_instant(base::Instant instant, base::ByteWriter& writer) {
  writer.u64(static_cast<std::uint64_t>(instant.nanoseconds));
}

base::Instant read_instant(base::ByteReader& reader) {
  return {static_cast<std::int64_t>(reader.u64())};
}

const filter::Change& change_of(const filter::ExprPtr& expr) {
  return std::get<filter::Change>(*expr->predicate());
}

}  // namespace

// Whether the term's event can still be delivered. An only term whose instance is not due fires
// upon the next event or never, and takes this one along only if that asks for the previous one.
bool ChangeFilter::is_awaited(const Instance& instance, std::size_t term_index) {
  const Term& term = instance.terms[term_index];
  if (term.held == nullptr || term.held->delivered) return false;
  const filter::Change& change = change_of((*instance.changes)[term_index]);
  return instance.due || instance.terms.size() > 1 || change.with_previous ||
         is_held_back(instance, term_index);
}

// A conjunction of several terms delivers the current event of each whenever it fires.
bool ChangeFilter::is_kept(const Instance& instance, std::size_t term_index) {
  const HeldEventPtr& held = instance.terms[term_index].held;
  const bool comes_again = instance.terms.size() > 1 && held != nullptr && held->event != nullptr;
  return comes_again || is_awaited(instance, term_index);
}

// Whether readings since the last delivery are of no account any more: it counts as the newest one,
// so that a state does not change where nothing is delivered. Only where there is one threshold:
// such filters share what they remember, and many of them would have to be written.
bool ChangeFilter::is_settled(const Instance& instance) const {
  const bool is_only = instances_.size() == 1 && instance.terms.size() == 1;
  if (!is_only || !instance.terms.front().last || instance.due) return false;
  const filter::Change& change = change_of(instance.changes->front());
  const auto* const moves = std::get_if<filter::Moves>(&change.movement);
  return moves != nullptr && moves->absolute.has_value() != moves->percent.has_value() &&
         !change.at_most_every && !change.with_previous && !options_.idle;
}

// Also if it has not moved: another threshold may make it move.
bool ChangeFilter::is_held_back(const Instance& instance, std::size_t term_index) {
  const Term& term = instance.terms[term_index];
  const auto& every = change_of((*instance.changes)[term_index]).at_most_every;
  return every && term.last && term.last_at < instance.read_at &&
         term.last_at + *every > instance.read_at;
}

bool ChangeFilter::is_previous_awaited(const Instance& instance, const Term& term) {
  return term.previous != nullptr && !term.previous->delivered &&
         (instance.due || instance.terms.size() > 1);
}

// Each once, oldest first.
std::vector<const HeldEvent*> ChangeFilter::kept_events() const {
  std::vector<const HeldEvent*> events;
  for (const Instances& instances : instances_) {
    for (const auto& [key, instance] : instances) {
      for (std::size_t i = 0; i < instance.terms.size(); ++i) {
        const Term& term = instance.terms[i];
        if (is_previous_awaited(instance, term)) events.push_back(term.previous.get());
        if (is_kept(instance, i)) events.push_back(term.held.get());
      }
    }
  }
  std::ranges::sort(events, {}, &HeldEvent::order);
  const auto repeated = std::ranges::unique(events);
  events.erase(repeated.begin(), repeated.end());
  return events;
}

void ChangeFilter::save(base::ByteWriter& writer) const {
  const std::vector<const HeldEvent*> events = kept_events();
  writer.varint(overflow_count_);
  writer.varint(events.size());
  for (const HeldEvent* const held : events) {
    writer.varint(held->event->sequence());
    writer.text(held->event->json());
    writer.u8(held->delivered ? 1 : 0);
  }
  for (const Instances& instances : instances_) {
    writer.varint(instances.size());
    for (const auto& [key, instance] : instances) {
      writer.text(key);
      save_instance(instance, events, writer);
    }
  }
}

void ChangeFilter::save_instance(const Instance& instance,
                                 const std::vector<const HeldEvent*>& events,
                                 base::ByteWriter& writer) const {
  const Term& first = instance.terms.front();
  write_instant(is_settled(instance) ? first.last_at : instance.read_at, writer);
  writer.u8(instance.due ? 1 : 0);
  if (instance.due) write_instant(*instance.due, writer);
  for (std::size_t i = 0; i < instance.terms.size(); ++i) save_term(instance, i, events, writer);
}

void ChangeFilter::save_term(const Instance& instance, std::size_t term_index,
                             const std::vector<const HeldEvent*>& events,
                             base::ByteWriter& writer) const {
  const auto write_event = [&](const HeldEvent& held) {
    const auto event = std::ranges::lower_bound(events, held.order, {}, &HeldEvent::order);
    writer.varint(static_cast<std::uint64_t>(event - events.begin()));
  };
  const Term& term = instance.terms[term_index];
  const bool kept = is_kept(instance, term_index);
  const bool previous = is_previous_awaited(instance, term);
  writer.u8(static_cast<std::uint8_t>((term.last ? kLast : 0) | (term.current ? kCurrent : 0) |
                                      (kept ? kKept : 0) | (previous ? kPrevious : 0)));
  if (term.last) {
    write_memory(*term.last, writer);
    write_instant(term.last_at, writer);
  }
  if (is_settled(instance)) {
    write_sample(std::get<double>(*term.last), writer);
  } else if (term.current) {
    write_sample(*term.current, writer);
  }
  if (kept) write_event(*term.held);
  if (previous) write_event(*term.previous);
}

base::Result<void> ChangeFilter::restore(ChangeLayout layout, base::ByteReader& reader,
                                         base::Instant& latest) {
  overflow_count_ = reader.varint();
  Restoring state{layout, {}, std::make_shared<HeldEvent>(HeldEvent{nullptr, 0, true}), latest};
  if (auto read = restore_events(reader, state); !read) return read.error();
  for (std::uint32_t conjunction = 0; conjunction < instances_.size(); ++conjunction) {
    if (auto read = restore_instances(conjunction, reader, state); !read) return read.error();
  }
  latest = state.latest;
  if (layout == ChangeLayout::kUntimed) count_as_read_at(latest);
  return {};
}

void ChangeFilter::count_as_read_at(base::Instant latest) {
  for (std::uint32_t conjunction = 0; conjunction < instances_.size(); ++conjunction) {
    for (auto& [key, instance] : instances_[conjunction]) {
      note_reading(conjunction, key, instance, latest);
    }
  }
}

base::Result<void> ChangeFilter::restore_events(base::ByteReader& reader, Restoring& state) {
  for (auto count = reader.count(kEventBytesMin); count > 0; --count) {
    const std::uint64_t sequence = reader.varint();
    const std::string_view json = reader.text();
    const std::uint8_t delivered = state.layout == ChangeLayout::kMarked ? reader.u8() : 0;
    if (delivered > 1) reader.fail();
    if (reader.failed()) return {};
    const auto event = event::decode_event(json, kEventLimits);
    if (!event) return corrupt("a held event is none: " + event.error().to_string());
    event::assign_sequence(*event, sequence);
    state.events.push_back(hold(*event, event_count_++, delivered == 1));
  }
  return {};
}

base::Result<void> ChangeFilter::restore_instances(std::uint32_t conjunction,
                                                   base::ByteReader& reader, Restoring& state) {
  const auto count = reader.count(kInstanceBytesMin);
  if (count > options_.key_count_max - key_count_) {
    return corrupt(
        fmt::format("the change terms have more keys than {}, the limit", options_.key_count_max));
  }
  if (count > 0 && changes_of(conjunction).empty()) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    restore_instance(conjunction, reader, state);
  }
  return {};
}

void ChangeFilter::restore_instance(std::uint32_t conjunction, base::ByteReader& reader,
                                    Restoring& state) {
  const auto& changes = changes_of(conjunction);
  const std::string key(reader.text());
  base::Instant read_at;
  if (state.layout != ChangeLayout::kUntimed) {
    read_at = read_instant(reader);
    state.latest = std::max(state.latest, read_at);
  }
  const std::uint8_t is_due = reader.u8();
  if (is_due > 1) reader.fail();
  const auto due = is_due == 1 ? std::optional(read_instant(reader)) : std::nullopt;
  Instance instance{&changes, {}};
  for (const filter::ExprPtr& change : changes) {
    instance.terms.push_back(restore_term(change_of(change).movement, reader, state));
  }
  const auto [added, is_new] = instances_[conjunction].emplace(key, std::move(instance));
  if (!is_new) return reader.fail();
  ++key_count_;
  keep_memory(key, added->second);
  note_reading(conjunction, key, added->second, read_at);
  reschedule(conjunction, key, added->second, due);
}

ChangeFilter::Term ChangeFilter::restore_term(const filter::Movement& movement,
                                              base::ByteReader& reader, Restoring& state) {
  const std::uint8_t has = reader.u8();
  const bool has_current = (has & kCurrent) != 0;
  if (has > (kLast | kCurrent | kKept | kPrevious) || (has != 0 && !has_current)) reader.fail();
  Term term;
  if ((has & kLast) != 0) {
    term.last = read_memory(movement, reader);
    term.last_at = read_instant(reader);
    state.latest = std::max(state.latest, term.last_at);
  }
  if (!has_current) return term;
  term.current = read_sample(movement, reader);
  term.held = (has & kKept) != 0 ? restore_held(reader, state) : state.delivered;
  if ((has & kPrevious) != 0) term.previous = restore_held(reader, state);
  return term;
}

HeldEventPtr ChangeFilter::restore_held(base::ByteReader& reader, const Restoring& state) {
  const std::uint64_t index = reader.varint();
  if (index < state.events.size()) return state.events[index];
  reader.fail();
  return state.delivered;
}

}  // namespace weir::match
