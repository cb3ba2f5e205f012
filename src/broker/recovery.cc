// SPDX-License-Identifier: Apache-2.0
#include "broker/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/logged_event.h"

namespace weir::broker {
namespace {

bool is_stateful(const Definition& definition) {
  const filter::Kinds& kinds = definition.filter()->kinds();
  return kinds.change || kinds.distinct || kinds.text;
}

}  // namespace

Recovery::Recovery(Context context, const std::vector<KnownSubscription>& known)
    : context_(context), known_(known), last_sequence_(context.log.next_sequence() - 1) {}

base::Result<void> Recovery::run() {
  prepare();
  if (auto checked = check_log(); !checked) return checked;
  for (const store::SharedState& shared : context_.contents.shared_states) {
    for (const std::shared_ptr<Shard>& shard : context_.shards) {
      if (auto restored = shard->restore_text(shared.state); !restored) return restored;
    }
  }
  if (auto noted = read_notes(); !noted) return noted;
  if (auto replayed = replay(); !replayed) return replayed;
  hand_over_notes();
  return {};
}

// An outbox and a state for each subscription, as the registry has them.
void Recovery::prepare() {
  for (const KnownSubscription& known : known_) {
    const Definition& definition = *known.subscription.definition;
    any_conflate_ |= definition.policy() == OutboxPolicy::kConflate;
    const std::size_t count_max =
        std::min(definition.outbox_count_max(), context_.options.definition.outbox_count_max);
    waiting_.emplace(
        known.row.number,
        Waiting{&known, Outbox({.policy = definition.policy(), .count_max = count_max}), {}, {}});
    scans_[known.row.number] = known.row.since_sequence;
  }
  for (const store::CursorRow& cursor : context_.contents.cursors) {
    const auto found = waiting_.find(cursor.subscription);
    if (found == waiting_.end()) continue;
    found->second.outbox.restore_acknowledged(cursor.acknowledged);
    scans_[cursor.subscription] = cursor.scan_sequence;
  }
  for (const store::CheckpointRow& checkpoint : context_.contents.checkpoints) {
    const auto found = waiting_.find(checkpoint.subscription);
    if (found != waiting_.end()) found->second.state = checkpoint.state;
  }
}

// The registry is written after the log: what it knows of must be there.
base::Result<void> Recovery::check_log() const {
  std::uint64_t known = context_.contents.checkpoint_sequence;
  for (const store::CursorRow& cursor : context_.contents.cursors) {
    known = std::max(known, cursor.scan_sequence);
  }
  if (known <= last_sequence_) return {};
  return base::Error{base::ErrorId::kStoreCorrupt,
                     fmt::format("the log ends with event {}, but event {} was processed: events "
                                 "that were accepted are missing",
                                 last_sequence_, known),
                     std::nullopt};
}

std::uint64_t Recovery::scan_begin() const {
  std::uint64_t begin = last_sequence_ + 1;
  for (const auto& [number, scan] : scans_) begin = std::min(begin, scan);
  return std::max<std::uint64_t>(begin, 1);
}

// The first event that may still have duplicates, found by halving.
std::uint64_t Recovery::window_begin() const {
  if (!context_.options.dedup_window) return last_sequence_ + 1;
  std::uint64_t low = context_.log.first_sequence();
  std::uint64_t high = last_sequence_ + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto read = context_.log.read(std::span(&middle, 1));
    const bool is_old = read && read->front() && read->front()->at < window_since_;
    if (is_old) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

base::Result<void> Recovery::read_notes() {
  const base::Duration window = context_.options.dedup_window.value_or(base::Duration{});
  window_since_ = context_.options.now() + base::Duration{-window.nanoseconds};
  const std::uint64_t scan = scan_begin();
  noted_sequence_ = scan - 1;
  store::LogReader reader = context_.log.reader(std::min(scan, window_begin()));
  while (true) {
    const auto record = reader.next();
    if (!record) return record.error();
    if (!*record) return {};
    if ((*record)->kind == store::RecordKind::kNote) {
      const auto note = decode_match_note((*record)->payload);
      if (!note) return note.error();
      take_note(**record, *note);
    } else if (auto taken = take_event(**record); !taken) {
      return taken;
    }
  }
}

void Recovery::take_note(const store::LogRecord& record, const MatchNote& note) {
  for (const NotedMatch& match : note.matches) {
    const auto found = waiting_.find(match.subscription);
    if (found == waiting_.end()) continue;
    found->second.noted_until = std::max(found->second.noted_until, record.at);
    Outbox& outbox = found->second.outbox;
    if (match.delivery <= outbox.last_number()) continue;
    const auto source = sources_.find(match.sequences.front());
    outbox.restore(
        match.delivery, record.sequence,
        {.sequences = match.sequences,
         .source = source == sources_.end() ? std::string_view() : std::string_view(source->second),
         .annotation = match.annotation});
  }
  if (!note.complete) return;
  noted_sequence_ = std::max(noted_sequence_, record.sequence);
  sources_.erase(sources_.begin(), sources_.upper_bound(record.sequence));
}

base::Result<void> Recovery::take_event(const store::LogRecord& record) {
  const bool in_window = context_.options.dedup_window && record.at >= window_since_;
  if (!in_window && !any_conflate_) return {};
  const auto event = decode_logged(record);
  if (!event) return event.error();
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
    const std::uint64_t known_through = is_stateful(*waiting.known->subscription.definition)
                                            ? context_.contents.checkpoint_sequence
                                            : noted_sequence_;
    starts_.emplace(std::max(known_through + 1, waiting.known->row.since_sequence), number);
  }
  store::LogReader reader = context_.log.reader(replay_begin());
  while (true) {
    const auto record = reader.next();
    if (!record) return record.error();
    if (!*record) break;
    if ((*record)->kind != store::RecordKind::kEvent) continue;
    if (auto active = activate((*record)->sequence); !active) return active;
    const auto event = decode_logged(**record);
    if (!event) return event.error();
    ++context_.counters.recovered_events;
    const bool is_noted = (*record)->sequence <= noted_sequence_;
    for (const std::shared_ptr<Shard>& shard : context_.shards) {
      shard->replay({*event, (*record)->at}, !is_noted);
    }
  }
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
                             std::move(waiting.state), waiting.noted_until});
    waiting_.erase(found);
  }
  for (auto& [shard, part] : parts) {
    auto results = shard->restore(std::move(part.restored));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i]) continue;
      base::Error error = std::move(results[i].error());
      error.message = fmt::format("subscription {}: {}", part.known[i]->row.id, error.message);
      return error;
    }
  }
  return {};
}

// What was delivered anew is noted before anything else; the sequencer writes it when it can.
void Recovery::hand_over_notes() {
  const base::Instant now = context_.sequencer.now();
  for (const std::shared_ptr<Shard>& shard : context_.shards) {
    for (MatchReport& part : shard->finish_replay(last_sequence_, now)) {
      if (!part.matches.empty()) context_.sequencer.add_note(std::move(part));
    }
  }
  if (last_sequence_ <= noted_sequence_) return;
  context_.sequencer.add_note({.at = now, .complete = true, .matches = {}});
}

}  // namespace weir::broker
