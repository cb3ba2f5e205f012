// SPDX-License-Identifier: Apache-2.0
// ChangeSource: all subscribers of one source of readings, as pieces: the interval map.
//
// Paper 002's OnlineGreedy for millions of thresholds at once. Among subscribers with the same last
// value l, those who fire on x are a prefix of the order by threshold, and all who fire get the
// same new last value x. So the state of all is a piecewise-constant function over the thresholds:
// a reading cuts the left end off each piece that it concerns and unites what fired into one piece,
// no subscriber's state is written, and who must be told is a few ranges of the index.
//
//   thresholds   0.01 ......................................... 10
//   last         [ 20.4 ][ 20.1     ][ 19.7                      ]
//   reading 20.9 [ 20.9      ][ 20.1][ 19.7                      ]   fired: the first ranges of two
//
// silent_for: a piece that was told nothing for so long fires as a whole at the next reading.
// at_most_every: after a delivery a piece is held for so long; when that is over, the newest value
// is judged for it without a reading, if one came meanwhile. So timers hang on pieces.
//
// Costs: a reading that concerns nobody a few comparisons; else about 100-300 ns per piece that
// fires, not counting the reading of the ids. Pieces: at most as many as subscribers; on a random
// walk, 9 000 for a million of them after millions of readings, 4 000 for ten thousand.
//
// The subscribers are in the index that every call is given; who comes, goes or moves there must be
// told before the next reading (JoinLog does). Single-threaded; instants must not go back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/instant.h"
#include "match/change/change_timing.h"
#include "match/change/firing.h"
#include "match/change/piece_map.h"
#include "match/change/threshold_index.h"

namespace weir::match {

struct ChangeCounters {
  std::uint64_t updates = 0;
  std::uint64_t quiet = 0;  // of these, how many nobody was told of
  std::uint64_t fired = 0;  // ids
};

struct Reading {
  double value = 0;
  base::Instant at;

  bool operator==(const Reading&) const = default;
};

class ChangeSource {
 public:
  ChangeSource(Movement movement, const ChangeTiming& timing)
      : pieces_(movement), timing_(timing) {}

  // Appends who is to be told of the value. `scratch` is of no meaning between calls.
  void update(double value, base::Instant now, const ThresholdIndex& index,
              PieceMap::Pieces& scratch, Firing& firing) {
    ++reading_count_;
    ++counters_.updates;
    newest_ = Reading{value, now};
    firing.value = value;
    firing.at = now;
    if (concerns(pieces_.total(), value, now)) {
      judge_all(index, scratch, firing);
    } else {
      ++counters_.quiet;
    }
  }

  // When the newest value is to be judged for those who were held when it came, first. Whether it
  // concerns them is not looked at: somebody may have moved who was not told of here yet.
  std::optional<base::Instant> next_wake() const;
  // Judges the newest value for what is due first. Requires next_wake().
  void wake(const ThresholdIndex& index, PieceMap::Pieces& scratch, Firing& firing);

  const std::optional<Reading>& newest() const { return newest_; }
  void restore_newest(const Reading& reading) { newest_ = reading; }

  // nullopt if nothing was delivered.
  std::optional<LastDelivery> last(Position position) const;
  PieceState state_of(const LastDelivery& last) const;

  PieceMap& pieces() { return pieces_; }
  const PieceMap& pieces() const { return pieces_; }
  const ChangeCounters& counters() const { return counters_; }

 private:
  // One pass over the pieces that a reading or an instant concerns.
  struct Pass {
    double value;
    base::Instant now;
    PieceState fired;  // the state of those who fire
    const ThresholdIndex& index;
    ThresholdIndex::Cursor cursor;
    Firing& firing;
  };
  // Concerns what is no longer held at an instant.
  struct DueBy {
    const ChangeSource& source;
    base::Instant now;

    bool operator()(const PieceSummary& summary) const {
      return source.is_over(summary.oldest_held, now);
    }
    bool operator()(const Piece& piece) const {
      return piece.state.is_held() && source.is_over(piece.state.last_at, now);
    }
  };
  struct Cut {
    ThresholdIndex::Cursor from;
    ThresholdIndex::Cursor to;
  };

  bool is_silent(base::Instant last_at, base::Instant now) const {
    return timing_.silent_for.has_value() && last_at != PieceSummary::kNever &&
           last_at + *timing_.silent_for <= now;
  }
  bool is_over(base::Instant last_at, base::Instant now) const {
    return timing_.at_most_every.has_value() && last_at != PieceSummary::kNever &&
           last_at + *timing_.at_most_every <= now;
  }
  bool holds() const {
    return timing_.at_most_every.has_value() && timing_.at_most_every->nanoseconds > 0;
  }
  bool concerns(const PieceSummary& summary, double value, base::Instant now) const {
    return !summary.free_band.contains(value) || is_silent(summary.oldest_free, now) ||
           is_over(summary.oldest_held, now);
  }
  bool concerns(const Piece& piece, double value, base::Instant now) const {
    const PieceState& state = piece.state;
    if (state.is_held()) return is_over(state.last_at, now);
    return !piece.band.contains(value) || (state.has_last() && is_silent(state.last_at, now));
  }
  void judge_all(const ThresholdIndex& index, PieceMap::Pieces& scratch, Firing& firing);
  PieceState fired_state(double value, base::Instant now) const;
  std::int64_t held_count(const PieceState& state) const;
  void judge_reading(const Piece& piece, Position end, PieceMap::Writer& writer, Pass& pass) const;
  void judge_due(const Piece& piece, Position end, PieceMap::Writer& writer, Pass& pass) const;
  void take(const Piece& piece, Position end, PieceMap::Writer& writer, Pass& pass) const;
  // Cuts off those who fire, or all.
  void fire(const Piece& piece, Position end, bool whole, PieceMap::Writer& writer,
            Pass& pass) const;
  Cut cut(const Piece& piece, double last, Position end, bool whole, Pass& pass) const;
  void push_rest(ThresholdIndex::Cursor from, Position end, const PieceState& state,
                 PieceMap::Writer& writer, const Pass& pass) const;
  std::optional<LastDelivery> to_delivery(const PieceState& state) const;

  PieceMap pieces_;
  ChangeTiming timing_;
  std::optional<Reading> newest_;
  std::int64_t reading_count_ = 0;
  ChangeCounters counters_;
};

}  // namespace weir::match
