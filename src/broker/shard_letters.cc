// SPDX-License-Identifier: Apache-2.0
// Dead letters of a shard's subscriptions: buried, sent again, removed.
//
// A letter leaves the list in the transaction that settles the delivery as which it was sent again.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "broker/letter_text.h"
#include "broker/resent_letters.h"
#include "broker/shard.h"
#include "broker/shard_held.h"

namespace weir::broker {
namespace {

base::Error deleted() {
  return {base::ErrorId::kBrokerEnded, "the subscription was deleted", std::nullopt};
}

// Once as it waits, and once as it is being written.
std::size_t bytes_of(const store::DeadLetterRow& row) {
  return 2 * (sizeof(store::RegistryChange) + row.events.size() + row.reason.size());
}

base::Error no_memory(const base::MemoryAccount& full) {
  return {base::ErrorId::kBrokerMemory,
          fmt::format("outboxes and dead letters that wait to be written take {} bytes, the limit "
                      "is {}: the delivery is tried again later",
                      full.bytes(), full.bytes_max()),
          std::nullopt};
}

}  // namespace

// The letter is stored in one transaction with the cursor, so that neither is without the other.
void Shard::bury(ShardSession& session, std::uint64_t number, std::string reason) {
  if (!session.open) return;
  Held& held = *find(session.subscription);
  const auto entry = held.outbox.oldest();
  if (!entry || entry->number != number) return;
  const auto buried = bury(held, *entry, session.principal->grants, std::move(reason));
  if (!buried) end_sessions(held, buried.error());
}

base::Result<void> Shard::bury(Held& held, const OutboxEntry& entry, const Grants& reader,
                               std::string reason) {
  Dispatch dispatch{.number = entry.number, .events = {}};
  const auto loaded = load_one(held, entry, reader, dispatch);
  if (!loaded) return loaded.error();
  if (*loaded != Loaded::kThere) {
    settle(held, entry.number, *loaded == Loaded::kGone ? Settled::kExpired : Settled::kWithheld);
    return {};
  }
  SubscriptionGauges& gauges = *held.subscription.gauges;
  // One that was sent again takes its own place.
  const bool fits = gauges.letters_kept < context_.options.dead_letter_count_max ||
                    is_letter(entry.sequences.front());
  if (fits) {
    store::DeadLetterRow row{held.number(), entry.number, context_.options.wall_now(),
                             std::move(reason), letter_text(dispatch)};
    // Letters wait in memory until they are written: when the disk is full, for long.
    if (const auto* const full = held.letter_memory.try_grow(bytes_of(row))) {
      if (held.letter_memory.bytes() > 0) return no_memory(*full);
      held.letter_memory.grow(bytes_of(row));
    }
    ++gauges.letters_kept;
    held.letters.emplace_back(std::move(row));
  }
  settle(held, entry.number, fits ? Settled::kDeadLetter : Settled::kDropped);
  return {};
}

// What is to be written with a cursor: new letters, and the removal of those that are done. Every
// cursor brings all that is not written yet, so that none is ever written without its letters.
std::vector<store::RegistryChange> Shard::letter_changes(Held& held) {
  for (const std::uint64_t letter : held.outbox.take_done_letters()) {
    held.letters.emplace_back(store::RemoveDeadLetter{held.number(), letter});
    held.leaving.insert(letter);
    --held.subscription.gauges->letters_kept;
  }
  return {held.letters.begin(), held.letters.end()};
}

// Changes up to the end, counted from the first ever, are written.
void Shard::on_letters_written(Held& held, std::uint64_t end) {
  std::vector<store::RegistryChange> written;
  for (; held.letters_written < end; ++held.letters_written) {
    written.push_back(std::move(held.letters.front()));
    held.letters.pop_front();
    const auto* const row = std::get_if<store::DeadLetterRow>(&written.back());
    if (row != nullptr) held.letter_memory.shrink(bytes_of(*row));
  }
  forget_letters(held, written);
}

// The removals among these changes are written.
void Shard::forget_letters(Held& held, const std::vector<store::RegistryChange>& changes) {
  for (const store::RegistryChange& change : changes) {
    const auto* const removed = std::get_if<store::RemoveDeadLetter>(&change);
    if (removed != nullptr) held.leaving.erase(removed->delivery);
  }
}

// Of the given letters those that are in the registry and stay there.
base::Result<std::vector<std::uint64_t>> Shard::find_letters(
    const Held& held, const std::vector<std::uint64_t>& letters) {
  const auto there = context_.registry.dead_letter_numbers(held.number());
  if (!there) return there.error();
  std::vector<std::uint64_t> found;
  std::ranges::copy_if(letters, std::back_inserter(found), [&](std::uint64_t letter) {
    return std::ranges::binary_search(*there, letter) && !held.leaving.contains(letter);
  });
  return found;
}

// Reads the registry, which may have to wait for what is being written there: letters are rare.
base::Result<Loaded> Shard::load_letter(const Held& held, std::uint64_t letter,
                                        const Grants& reader, Dispatch& dispatch) {
  auto row = context_.registry.dead_letter(held.number(), letter);
  if (!row) return row.error();
  if (!*row) return Loaded::kGone;
  if (!may_see_letter(reader, (*row)->events)) return Loaded::kHidden;
  auto read = read_letter(std::move((*row)->events));
  if (!read) return read.error();
  dispatch.is_group = read->is_group;
  dispatch.events = std::move(read->events);
  dispatch.redelivered = true;  // it was sent before it was buried
  return Loaded::kThere;
}

void Shard::resend(std::uint64_t subscription, const std::vector<std::uint64_t>& letters,
                   LettersDone done) {
  Held* const held = find(subscription);
  if (held == nullptr) return done(deleted());
  // A replay that goes on after a crash gives the same numbers again: no other delivery has them.
  if (held->replay) {
    return done(base::Error{base::ErrorId::kBrokerReplaying,
                            "the subscription still reads old events: try again later",
                            std::nullopt});
  }
  const auto found = find_letters(*held, letters);
  if (!found) return done(found.error());
  MatchReport report{
      .batch = last_batch_, .at = engine_.now(), .complete = false, .matches = note_writer()};
  LetterCounts counts;
  const std::uint64_t first = held->outbox.last_number() + 1;
  for (const std::uint64_t letter : *found) {
    if (held->outbox.is_resent(letter)) continue;
    // No pending delivery gives way to a letter.
    if (held->outbox.is_full()) {
      ++counts.left;
      continue;
    }
    const std::uint64_t sequence = reference_to(letter);
    const std::uint64_t number = held->outbox.push(last_sequence_, {.sequences = {&sequence, 1}});
    report.matches.add(held->number(), number, {.sequences = {&sequence, 1}});
    ++counts.done;
  }
  if (counts.done == 0) return done(counts);
  mark_stale(*held);
  // A number that somebody has seen must not be another delivery's after a crash.
  held->unnoted.push_back(first);
  context_.host.on_report(std::move(report));
  const auto let_go = [self = shared_from_this(), subscription] {
    self->post([self, subscription] {
      Held* const noted = self->find(subscription);
      if (noted == nullptr) return;
      noted->unnoted.pop_front();
      self->touch(*noted);
    });
  };
  const auto answer = [self = shared_from_this(), batch = last_batch_, let_go, counts,
                       done = std::move(done)](const base::Result<void>& noted) {
    if (noted) {
      let_go();
      return done(counts);
    }
    self->when_noted(batch, let_go);
    done(noted.error());
  };
  context_.host.after_notes(last_batch_, answer);
}

void Shard::purge(std::uint64_t subscription, const std::vector<std::uint64_t>& letters,
                  LettersDone done) {
  Held* const held = find(subscription);
  if (held == nullptr) return done(deleted());
  const auto found = find_letters(*held, letters);
  if (!found) return done(found.error());
  std::vector<store::RegistryChange> changes;
  LetterCounts counts;
  for (const std::uint64_t letter : *found) {
    if (held->outbox.is_resent(letter)) {
      ++counts.left;
      continue;
    }
    changes.emplace_back(store::RemoveDeadLetter{subscription, letter});
    held->leaving.insert(letter);
    ++counts.done;
  }
  const auto on_written = [self = shared_from_this(), subscription, changes, counts,
                           done = std::move(done)](const base::Result<void>& written) {
    self->post([self, subscription, changes, counts, done, written] {
      if (Held* const purged = self->find(subscription)) {
        self->forget_letters(*purged, changes);
        if (written) purged->subscription.gauges->letters_kept -= counts.done;
      }
      if (!written) return done(written.error());
      done(counts);
    });
  };
  context_.clerk.write(changes, on_written);
}

}  // namespace weir::broker
