// SPDX-License-Identifier: Apache-2.0
#include "match/change/join_log.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

namespace weir::match {

void JoinLog::join(Position position, Initial initial) {
  append(Kind::kJoin, position, position, initial);
}

void JoinLog::leave(Position position) {
  append(Kind::kLeave, position, position, Initial::kDeliver);
}

void JoinLog::move(Position from, Position to) { append(Kind::kMove, from, to, Initial::kDeliver); }

void JoinLog::append(Kind kind, Position from, Position to, Initial initial) {
  entries_.push_back({++last_number_, from.id, from.threshold, to.threshold, kind, initial});
}

void JoinLog::apply(std::uint64_t seen, const ThresholdIndex& index, ChangeSource& source) const {
  if (seen == last_number_) return;
  PieceMap& pieces = source.pieces();
  const auto first = first_behind(seen);
  // All states first: whoever moved may be the last one in its piece.
  for (auto entry = first; entry != entries_.end(); ++entry) {
    if (entry->kind == Kind::kJoin) {
      pieces.set(entry->to_position(), PieceState::nothing(entry->initial));
    } else if (entry->kind == Kind::kMove) {
      const auto state = pieces.state_at(entry->from_position());
      pieces.set(entry->to_position(), state.value_or(PieceState()));
    }
  }
  const auto entry_count = static_cast<std::size_t>(entries_.end() - first);
  if (seen < last_dropped_leave_ || entry_count > pieces.size() / 4 + 8) {
    pieces.settle_all(index);
    return;
  }
  for (auto entry = first; entry != entries_.end(); ++entry) settle(*entry, index, pieces);
  pieces.refresh();
}

void JoinLog::settle(const Entry& entry, const ThresholdIndex& index, PieceMap& pieces) {
  if (entry.kind != Kind::kJoin) pieces.settle(entry.from_position(), index);
  if (entry.kind != Kind::kLeave) pieces.settle(entry.to_position(), index);
}

JoinLog::Entries::const_iterator JoinLog::first_behind(std::uint64_t number) const {
  return std::upper_bound(
      entries_.begin(), entries_.end(), number,
      [](std::uint64_t sought, const Entry& entry) { return sought < entry.number; });
}

void JoinLog::drop(std::uint64_t last_seen_by_all) {
  entries_.erase(entries_.begin(), first_behind(last_seen_by_all));
}

void JoinLog::compact() {
  boost::unordered_flat_set<std::uint64_t> done;  // ids of which nothing earlier matters
  Entries kept;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (done.contains(entry->id)) continue;
    if (entry->kind != Kind::kMove) done.insert(entry->id);
    if (entry->kind == Kind::kLeave) {
      last_dropped_leave_ = std::max(last_dropped_leave_, entry->number);
    } else {
      kept.push_back(*entry);
    }
  }
  entries_.assign(kept.rbegin(), kept.rend());
}

}  // namespace weir::match
