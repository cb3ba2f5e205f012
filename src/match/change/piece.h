// SPDX-License-Identifier: Apache-2.0
// Piece: neighbours in the order of thresholds that share what was last delivered to them.
//
// A piece reaches from its begin to the next piece's begin. Begins are positions, so subscribers
// that come and go shift nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/instant.h"
#include "match/change/initial.h"
#include "match/change/movement.h"
#include "match/change/position.h"

namespace weir::match {

struct PieceState {
  enum class Status : std::uint8_t {
    kNothing,        // delivered yet: the next reading is
    kNothingSilent,  // delivered yet: the next reading is taken as the last, silently
    kFree,
    kHeld,  // until `at most every` is over since last_at
  };

  double last = 0;
  base::Instant last_at;
  // Readings since the last delivery that were held: if kFree, their number; if kHeld, all readings
  // since the source's reading with this ordinal, which may lie before its first.
  std::int64_t mark = 0;
  Status status = Status::kNothing;

  static PieceState nothing(Initial initial) {
    PieceState state;
    if (initial == Initial::kNone) state.status = Status::kNothingSilent;
    return state;
  }
  bool has_last() const { return status >= Status::kFree; }
  bool is_held() const { return status == Status::kHeld; }

  bool operator==(const PieceState&) const = default;
};

struct Piece {
  Position begin;
  PieceState state;
  Band band;  // of the first subscriber's quiet values, so of all; empty: every reading matters
};

// What is true of some pieces together. Free and held ones apart: a held piece does not fire.
struct PieceSummary {
  static constexpr base::Instant kNever = {std::numeric_limits<std::int64_t>::max()};

  Band free_band;
  base::Instant oldest_free = kNever;  // the earliest last_at
  base::Instant oldest_held = kNever;
  std::int64_t held_mark = std::numeric_limits<std::int64_t>::max();  // the least of those held

  void add(const Piece& piece) {
    const PieceState& state = piece.state;
    if (state.is_held()) {
      oldest_held = std::min(oldest_held, state.last_at);
      held_mark = std::min(held_mark, state.mark);
      return;
    }
    free_band.intersect(piece.band);
    if (state.has_last()) oldest_free = std::min(oldest_free, state.last_at);
  }
  void add(const PieceSummary& other) {
    free_band.intersect(other.free_band);
    oldest_free = std::min(oldest_free, other.oldest_free);
    oldest_held = std::min(oldest_held, other.oldest_held);
    held_mark = std::min(held_mark, other.held_mark);
  }
};

}  // namespace weir::match
