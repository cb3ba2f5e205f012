// SPDX-License-Identifier: Apache-2.0
#include "match/change/change_source.h"

#include <algorithm>

#include "base/check.h"

namespace weir::match {

using Status = PieceState::Status;

namespace {

PieceState released(const PieceState& state, std::int64_t held_count) {
  return {state.last, state.last_at, held_count, Status::kFree};
}

}  // namespace

void ChangeSource::judge_all(const ThresholdIndex& index, PieceMap::Pieces& scratch,
                             Firing& firing) {
  const double value = newest_->value;
  const base::Instant now = newest_->at;
  const std::size_t before = firing.id_count;
  Pass pass{value, now, fired_state(value, now), index, index.begin(), firing};
  pieces_.rewrite([&](const auto& pieces) { return concerns(pieces, value, now); },
                  [&](const Piece& piece, Position end, PieceMap::Writer& writer) {
                    judge_reading(piece, end, writer, pass);
                  },
                  scratch);
  counters_.fired += firing.id_count - before;
  counters_.quiet += firing.id_count == before ? 1U : 0U;
}

PieceState ChangeSource::fired_state(double value, base::Instant now) const {
  return {value, now, holds() ? reading_count_ : 0, holds() ? Status::kHeld : Status::kFree};
}

std::int64_t ChangeSource::held_count(const PieceState& state) const {
  return state.is_held() ? reading_count_ - state.mark : state.mark;
}

void ChangeSource::judge_reading(const Piece& piece, Position end, PieceMap::Writer& writer,
                                 Pass& pass) const {
  if (piece.state.status == Status::kNothing) return fire(piece, end, true, writer, pass);
  if (piece.state.status == Status::kNothingSilent) return take(piece, end, writer, pass);
  Piece free = piece;
  if (piece.state.is_held()) {
    // This reading came after the hold.
    free.state = released(piece.state, held_count(piece.state) - 1);
  }
  const bool silent = is_silent(free.state.last_at, pass.now);
  if (!silent && free.band.contains(pass.value)) return writer.push(free);
  fire(free, end, silent, writer, pass);
}

// The value becomes the last one, as if it had been delivered, and is then judged: only thresholds
// that a value without any change reaches fire, or are held.
void ChangeSource::take(const Piece& piece, Position end, PieceMap::Writer& writer,
                        Pass& pass) const {
  const bool silent = is_silent(pass.now, pass.now);
  if (!silent && !pieces_.movement().fires(piece.begin.threshold, pass.value, pass.value)) {
    return writer.push(pieces_.make_piece(piece.begin, pass.fired));
  }
  const Cut range = cut(piece, pass.value, end, silent, pass);
  PieceState state = pass.fired;
  if (holds()) {
    --state.mark;
  } else {
    pass.firing.add(std::nullopt, pass.index, range.from, range.to);
  }
  writer.push(pieces_.make_piece(piece.begin, state));
  push_rest(range.to, end, pass.fired, writer, pass);
}

void ChangeSource::fire(const Piece& piece, Position end, bool whole, PieceMap::Writer& writer,
                        Pass& pass) const {
  const Cut range = cut(piece, piece.state.last, end, whole, pass);
  pass.firing.add(to_delivery(piece.state), pass.index, range.from, range.to);
  writer.push(pieces_.make_piece(piece.begin, pass.fired));
  push_rest(range.to, end, piece.state, writer, pass);
}

ChangeSource::Cut ChangeSource::cut(const Piece& piece, double last, Position end, bool whole,
                                    Pass& pass) const {
  const ThresholdIndex::Cursor from = pass.index.seek(pass.cursor, piece.begin);
  Position to = end;
  if (!whole) {
    const double quiet = pieces_.movement().first_quiet_threshold(last, pass.value);
    to = std::min(end, Position{quiet, 0});
  }
  pass.cursor = pass.index.seek(from, to);
  return {from, pass.cursor};
}

void ChangeSource::push_rest(ThresholdIndex::Cursor from, Position end, const PieceState& state,
                             PieceMap::Writer& writer, const Pass& pass) const {
  if (from == pass.index.end()) return;
  const Position begin = pass.index.at(from);
  if (begin < end) writer.push(pieces_.make_piece(begin, state));
}

std::optional<base::Instant> ChangeSource::next_wake() const {
  const PieceSummary& total = pieces_.total();
  if (!newest_ || total.oldest_held == PieceSummary::kNever) return std::nullopt;
  if (total.held_mark >= reading_count_) return std::nullopt;
  return total.oldest_held + *timing_.at_most_every;
}

void ChangeSource::wake(const ThresholdIndex& index, PieceMap::Pieces& scratch, Firing& firing) {
  const std::optional<base::Instant> due = next_wake();
  WEIR_CHECK(due.has_value());
  firing.value = newest_->value;
  firing.at = *due;
  const std::size_t before = firing.id_count;
  Pass pass{newest_->value, *due, fired_state(newest_->value, *due), index, index.begin(), firing};
  pieces_.rewrite(
      DueBy{*this, *due},
      [&](const Piece& piece, Position end, PieceMap::Writer& writer) {
        judge_due(piece, end, writer, pass);
      },
      scratch);
  counters_.fired += firing.id_count - before;
}

// Whether it was silent for too long was a matter of the reading.
void ChangeSource::judge_due(const Piece& piece, Position end, PieceMap::Writer& writer,
                             Pass& pass) const {
  Piece free = piece;
  free.state = released(piece.state, held_count(piece.state));
  const bool silent = is_silent(piece.state.last_at, newest_->at);
  const bool wants = free.state.mark > 0 && (silent || !piece.band.contains(pass.value));
  if (!wants) return writer.push(free);
  fire(free, end, silent, writer, pass);
}

std::optional<LastDelivery> ChangeSource::to_delivery(const PieceState& state) const {
  if (!state.has_last()) return std::nullopt;
  return LastDelivery{state.last, state.last_at, static_cast<std::uint64_t>(held_count(state)),
                      state.is_held()};
}

std::optional<LastDelivery> ChangeSource::last(Position position) const {
  const std::optional<PieceState> state = pieces_.state_at(position);
  return state ? to_delivery(*state) : std::nullopt;
}

PieceState ChangeSource::state_of(const LastDelivery& last) const {
  const auto held_count = static_cast<std::int64_t>(last.held_count);
  if (!last.held) return {last.value, last.at, held_count, Status::kFree};
  return {last.value, last.at, reading_count_ - held_count, Status::kHeld};
}

}  // namespace weir::match
