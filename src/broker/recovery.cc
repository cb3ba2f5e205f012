// SPDX-License-Identifier: Apache-2.0
#include "broker/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/logged_event.h"
#include "broker/restart_guard.h"
#include "broker/start.h"
#include "broker/text_piece.h"
#include "event/event_memory.h"
#include "store/registry_file.h"

namespace weir::broker {
namespace {

bool is_stateful(const Definition& definition) {
  const filter::Kinds& kinds = definition.filter()->kinds();
  return kinds.change || kinds.distinct || kinds.text;
}

std::size_t text_piece_count(const store::RegistryContents& contents, std::size_t shard) {
  std::size_t count = 0;
  const auto is_there = [&](const store::SharedState& state) {
    return state.name == text_piece_name(shard, count) && !state.state.empty();
  };
  while (std::ranges::any_of(contents.shared_states, is_there)) ++count;
  return count;
}

// Tells where the record stands that cannot be used.
base::Error located(base::Error error, const store::LogRecord& record,
                    const BrokerOptions& options) {
  const bool is_event = record.kind == store::RecordKind::kEvent;
  error.message =
      fmt::format("{}: {} {} cannot be read: {}", (options.directory / "log").native(),
                  is_event ? "event" : "the note on event", record.sequence, error.message);
  return error;
}

}  // namespace

Recovery::Recovery(Context context, const std::vector<KnownSubscription>& known)
    : context_(context), known_(known), last_sequence_(context.log.next_sequence() - 1) {}

base::Result<void> Recovery::run() {
  if (auto prepared = prepare(); !prepared) return prepared;
  if (auto checked = check_log(); !checked) return checked;
  for (const store::SharedState& shared : context_.contents.shared_states) {
    if (!is_text_piece(shared.name) || shared.state.empty()) continue;
    for (const std::shared_ptr<Shard>& shard : context_.shards) {
      if (auto restored = shard->restore_text(shared.state); !restored) return restored;
    }
  }
  for (std::size_t i = 0; i < context_.shards.size(); ++i) {
    context_.shards[i]->set_text_piece_count(text_piece_count(context_.contents, i));
  }
  if (auto noted = read_notes(); !noted) return noted;
  if (auto replayed = replay(); !replayed) return replayed;
  hand_over_notes();
  return {};
}

// An outbox and a state for each subscription, as the registry has them.
base::Result<void> Recovery::prepare() {
  for (const KnownSubscription& known : known_) {
    const Definition& definition = *known.subscription.definition;
    any_conflate_ |= definition.policy() == OutboxPolicy::kConflate;
    const std::size_t count_max =
        std::min(definition.outbox_count_max(), context_.options.definition.outbox_count_max);
    waiting_.emplace(known.row.number,
                     Waiting{.known = &known,
                             .outbox = Outbox({.policy = definition.policy(),
                                               .count_max = count_max,
                                               .memory = context_.memory.account(
                                                   MemoryPart::kOutboxes, known.row.owner)}),
                             .state = {}});
    scans_[known.row.number] = known.row.since_sequence;
  }
  for (const store::CursorRow& cursor : context_.contents.cursors) {
    const auto found = waiting_.find(cursor.subscription);
    if (found == waiting_.end()) continue;
    if (auto restored = found->second.outbox.restore_cursor(cursor); !restored) {
      base::Error error = std::move(restored.error());
      error.message = fmt::format("{}: table cursors, subscription {}: {}",
                                  (context_.options.directory / store::kRegistryName).native(),
                                  cursor.subscription, error.message);
      return error;
    }
    found->second.settled = cursor.counts;
    scans_[cursor.subscription] = cursor.scan_sequence;
  }
  for (const store::ReplayRow& replay : context_.contents.replays) {
    const auto found = waiting_.find(replay.subscription);
    if (found != waiting_.end()) found->second.replay = replay;
  }
  for (const store::CheckpointRow& checkpoint : context_.contents.checkpoints) {
    const auto found = waiting_.find(checkpoint.subscription);
    if (found != waiting_.end()) found->second.state = checkpoint.state;
  }
  return {};
}

// The registry is written after the log: what it knows of must be there.
base::Result<void> Recovery::check_log() const {
  const store::RegistryContents& contents = context_.contents;
  std::uint64_t known = std::max(contents.checkpoint_sequence, contents.log_sequence);
  for (const store::CursorRow& cursor : contents.cursors) {
    known = std::max(known, cursor.scan_sequence);
  }
  if (known <= last_sequence_) return {};
  return base::Error{
      base::ErrorId::kStoreMismatch,
      fmt::format("the registry knows of event {}, but the log in {}/log ends with event {}: the "
                  "log is older than the registry, or its end is missing. Copy log/ again from "
                  "where it came from, or restore a backup; weir doctor tells what is lost, weir "
                  "doctor --repair goes on without it",
                  known, context_.options.directory.native(), last_sequence_),
      std::nullopt};
}

std::uint64_t Recovery::scan_begin() const {
  std::uint64_t begin = last_sequence_ + 1;
  for (const auto& [number, scan] : scans_) begin = std::min(begin, scan);
  return std::max<std::uint64_t>(begin, 1);
}

// The first event that may still have duplicates.
std::uint64_t Recovery::window_begin() const {
  if (!context_.options.dedup_window) return last_sequence_ + 1;
  return first_sequence_since(context_.log, window_since_);
}

base::Result<void> Recovery::read_notes() {
  const base::Duration window = context_.options.dedup_window.value_or(base::Duration{});
  window_since_ = context_.time.now() + base::Duration{-window.nanoseconds};
  const std::uint64_t scan = scan_begin();
  noted_sequence_ = scan - 1;
  store::LogReader reader = context_.log.reader(std::min(scan, window_begin()));
  while (true) {
    const auto record = reader.next();
    if (!record) return record.error();
    if (!*record) return {};
    if ((*record)->kind == store::RecordKind::kNote) {
      auto note = decode_match_note((*record)->payload);
      if (!note) return located(note.error(), **record, context_.options);
      take_notes(**record, *std::move(note));
    } else if (auto taken = take_event(**record); !taken) {
      return taken;
    }
  }
}

// Notes that belong together count when the last of them is there. If it is not, their events are
// matched again and get the same deliveries.
void Recovery::take_notes(const store::LogRecord& record, MatchNote note) {
  const bool is_partial = note.partial;
  partial_.push_back({record.sequence, record.at, std::move(note)});
  if (is_partial) return;
  for (const ReadNote& read : std::exchange(partial_, {})) take_note(read);
}

void Recovery::take_note(const ReadNote& record) {
  const MatchNote& note = record.note;
  for (const NotedMatch& match : note.matches) {
    highest_noted_ = std::max(highest_noted_, match.subscription);
    const auto found = waiting_.find(match.subscription);
    if (found == waiting_.end()) continue;
    found->second.noted_until = std::max(found->second.noted_until, record.at);
    const auto source = sources_.find(match.sequences.front());
    Outbox& outbox = found->second.outbox;
    outbox.restore(
        match.delivery, record.sequence,
        {.sequences = match.sequences,
         .source = source == sources_.end() ? std::string_view() : std::string_view(source->second),
         .text = match.text,
         .text_memory = text_holds_.hold(match.text, outbox.account()),
         .is_group = match.is_group,
         .repeated = match.repeated});
  }
  text_holds_.clear();
  if (!note.complete) return;
  noted_sequence_ = std::max(noted_sequence_, record.sequence);
  sources_.erase(sources_.begin(), sources_.upper_bound(record.sequence));
}

base::Result<void> Recovery::take_event(const store::LogRecord& record) {
  const bool in_window = context_.options.dedup_window && record.at >= window_since_;
  if (!in_window && !any_conflate_) return {};
  const auto event = decode_logged(record);
  if (!event) return located(event.error(), record, context_.options);
  if (in_window) context_.sequencer.remember(**event, record.at);
  if (any_conflate_) sources_.emplace(record.sequence, (*event)->source());
  return {};
}

std::uint64_t Recovery::replay_begin() const {
  return starts_.empty() ? last_sequence_ + 1
                         : std::min(starts_.begin()->first, noted_sequence_ + 1);
}

base::Result<void> Recovery::replay() {
  for (const auto& [number, waiting] : waiting_) {
    if (waiting.replay) {  // it reads the events itself
      starts_.emplace(std::numeric_limits<std::uint64_t>::max(), number);
      continue;
    }
    const std::uint64_t known_through = is_stateful(*waiting.known->subscription.definition)
                                            ? context_.contents.checkpoint_sequence
                                            : noted_sequence_;
    starts_.emplace(std::max(known_through + 1, waiting.known->row.since_sequence), number);
  }
  store::LogReader reader = context_.log.reader(replay_begin());
  RestartGuard guard(*context_.options.files, context_.options.directory);
  while (true) {
    const auto record = reader.next();
    if (!record) return record.error();
    if (!*record) break;
    if ((*record)->kind != store::RecordKind::kEvent) continue;
    if (auto active = activate((*record)->sequence); !active) return active;
    const auto event = decode_logged(**record);
    if (!event) return located(event.error(), **record, context_.options);
    ++context_.counters.recovered_events;
    const bool is_noted = (*record)->sequence <= noted_sequence_;
    const LoggedEvent logged{*event, (*record)->at, event::memory_bytes(**event)};
    const bool is_matched = guard.begin((*record)->sequence);
    if (!is_matched) ++context_.counters.recovered_skipped;
    for (const std::shared_ptr<Shard>& shard : context_.shards) {
      if (is_matched) {
        shard->replay(logged, !is_noted);
      } else {
        shard->skip(logged, !is_noted);
      }
    }
  }
  guard.finish();
  return activate(std::numeric_limits<std::uint64_t>::max());
}

// Brings those into force that begin with this event or before, all of a shard at once.
base::Result<void> Recovery::activate(std::uint64_t sequence) {
  struct Part {
    std::vector<const KnownSubscription*> known;
    std::vector<RestoredSubscription> restored;
  };
  std::map<Shard*, Part> parts;
  while (!starts_.empty() && starts_.begin()->first <= sequence) {
    const auto found = waiting_.find(starts_.begin()->second);
    starts_.erase(starts_.begin());
    Waiting& waiting = found->second;
    Part& part = parts[waiting.known->shard.get()];
    part.known.push_back(waiting.known);
    part.restored.push_back({waiting.known->subscription, std::move(waiting.outbox),
                             std::move(waiting.state), waiting.noted_until, waiting.settled,
                             std::move(waiting.replay)});
    waiting_.erase(found);
  }
  for (auto& [shard, part] : parts) {
    auto results = shard->restore(std::move(part.restored));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i]) continue;
      base::Error error = std::move(results[i].error());
      error.message = fmt::format("{}: table checkpoints, subscription {}: {}",
                                  (context_.options.directory / store::kRegistryName).native(),
                                  part.known[i]->row.number, error.message);
      return error;
    }
  }
  return {};
}

// What was delivered anew is noted before anything else; the sequencer writes it when it can.
void Recovery::hand_over_notes() {
  const base::Instant now = context_.time.now();
  const bool is_all_noted = last_sequence_ <= noted_sequence_;
  for (const std::shared_ptr<Shard>& shard : context_.shards) {
    MatchReport report = shard->finish_replay(last_sequence_, now);
    report.is_followed = !is_all_noted;
    if (!report.matches.empty()) context_.sequencer.add_note(std::move(report));
  }
  if (is_all_noted) return;
  context_.sequencer.add_note(
      {.at = now, .complete = true, .matches = MatchNoteWriter(last_sequence_)});
}

}  // namespace weir::broker
