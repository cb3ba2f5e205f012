// SPDX-License-Identifier: Apache-2.0
// PieceMap: a piecewise-constant function over positions, as a sequence of pieces in chunks.
//
// Three levels of summaries (all pieces, groups of chunks, chunks) let a reading skip whatever it
// does not concern: one that concerns nobody costs a few comparisons, and one that concerns few of
// millions of pieces opens only their chunks.
//
//   total   [             band             ]
//   groups  [     band     ][     band     ]     kGroupSize chunks each
//   chunks  [band][band]... [band][band]...      up to kChunkSizeMax pieces each
//
// Changes come in two kinds. rewrite() replaces pieces by others that reach as far, and unites
// equal neighbours. set() cuts out one position, whether or not there is a subscriber; then
// settle() must be called for every position that came, went or was set and for the one behind it,
// and refresh() at last: it removes pieces that nobody is in any more, lets each begin with its
// first subscriber, and unites equal neighbours. So there are never more pieces than subscribers.
//
// Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "match/change/piece.h"
#include "match/change/threshold_index.h"

namespace weir::match {

class PieceMap {
 public:
  static constexpr std::size_t kChunkSizeMax = 128;
  static constexpr std::size_t kGroupSize = 32;

  using Pieces = std::vector<Piece>;

  // Where the pieces go that take the place of one, from left to right.
  class Writer {
   public:
    // Does nothing if the state is that of the piece before.
    void push(const Piece& piece) {
      const PieceState* const before = pieces_->empty() ? before_ : &pieces_->back().state;
      if (before == nullptr || *before != piece.state) pieces_->push_back(piece);
    }

   private:
    friend class PieceMap;
    Writer(Pieces* pieces, const PieceState* before) : pieces_(pieces), before_(before) {}

    Pieces* pieces_;
    const PieceState* before_;  // of the piece before the first
  };

  explicit PieceMap(Movement movement) : movement_(movement) {}

  const Movement& movement() const { return movement_; }
  const PieceSummary& total() const { return total_; }
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const;

  Piece make_piece(Position begin, const PieceState& state) const;

  // Behind all others. Requires refresh() before the first reading.
  void append(Position begin, const PieceState& state);
  // nullopt before the first piece.
  std::optional<PieceState> state_at(Position position) const;
  void set(Position position, const PieceState& state);
  // The piece at the position, and one that begins right behind it.
  void settle(Position position, const ThresholdIndex& index);
  void settle_all(const ThresholdIndex& index);
  void refresh();

  // Hands pieces to judge(piece, end, writer), from left to right; the end is where the next piece
  // begins. concerns(summary) and concerns(piece) tell which may be left as they are. `scratch` is
  // of no meaning.
  template <typename Concerns, typename Judge>
  void rewrite(const Concerns& concerns, const Judge& judge, Pieces& scratch);

  // visit(piece), in order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const Pieces& chunk : chunks_) {
      for (const Piece& piece : chunk) visit(piece);
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kTouchedMax = 64;

  struct Place {
    std::size_t chunk = kNone;
    std::size_t offset = 0;

    bool exists() const { return chunk != kNone; }
  };

  Place find(Position position) const;
  Piece& at(Place place) { return chunks_[place.chunk][place.offset]; }
  const Piece& at(Place place) const { return chunks_[place.chunk][place.offset]; }
  Place before(Place place) const;
  Place after(Place place) const;
  Position end_of(Place place) const;
  Place insert_after(Place place, const Piece& piece);
  void erase(Place place);
  void settle_piece(Place place, ThresholdIndex::Cursor first, const ThresholdIndex& index);
  void unite(Place place);
  void insert_chunk(std::size_t chunk, Pieces pieces);
  void erase_chunk(std::size_t chunk);
  void split(std::size_t chunk);
  void touch(std::size_t chunk);
  template <typename Concerns, typename Judge>
  void rewrite_chunk(std::size_t chunk, std::size_t before, const Concerns& concerns,
                     const Judge& judge, Pieces& scratch);
  void replace(std::size_t chunk, std::size_t from, std::size_t to, const Pieces& pieces);
  bool is_sparse() const;
  void repack();
  void summarise_chunk(std::size_t chunk);
  void summarise_group(std::size_t group);

  Movement movement_;
  std::vector<Pieces> chunks_;  // none is empty, but within a rewrite
  std::vector<Position> firsts_;
  std::vector<PieceSummary> summaries_;
  std::vector<PieceSummary> groups_;
  PieceSummary total_;
  std::size_t size_ = 0;
  std::vector<std::size_t> touched_;  // chunks whose summaries are out of date
  bool reshaped_ = false;             // so are all groups
};

template <typename Concerns, typename Judge>
void PieceMap::rewrite(const Concerns& concerns, const Judge& judge, Pieces& scratch) {
  std::size_t before = kNone;     // the last chunk that is not empty
  std::size_t rewritten = kNone;  // the last one
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    if (!concerns(groups_[group])) continue;
    const std::size_t end = std::min(chunks_.size(), (group + 1) * kGroupSize);
    for (std::size_t chunk = group * kGroupSize; chunk < end; ++chunk) {
      if (!concerns(summaries_[chunk])) continue;
      if (chunk > 0 && rewritten != chunk - 1) before = chunk - 1;
      rewrite_chunk(chunk, before, concerns, judge, scratch);
      if (!chunks_[chunk].empty()) before = chunk;
      rewritten = chunk;
      touched_.push_back(chunk);
    }
  }
  refresh();
}

// From the first piece that is concerned to the one behind the last, which may equal it now.
template <typename Concerns, typename Judge>
void PieceMap::rewrite_chunk(std::size_t chunk, std::size_t before, const Concerns& concerns,
                             const Judge& judge, Pieces& scratch) {
  const Pieces& pieces = chunks_[chunk];
  std::size_t from = 0;
  while (from < pieces.size() && !concerns(pieces[from])) ++from;
  std::size_t to = pieces.size();
  while (to > from && !concerns(pieces[to - 1])) --to;
  to = std::min(to + 1, pieces.size());
  const PieceState* const left = from > 0          ? &pieces[from - 1].state
                                 : before == kNone ? nullptr
                                                   : &chunks_[before].back().state;
  scratch.clear();
  Writer writer(&scratch, left);
  for (std::size_t i = from; i < to; ++i) {
    const Position end = i + 1 < pieces.size()        ? pieces[i + 1].begin
                         : chunk + 1 < chunks_.size() ? firsts_[chunk + 1]
                                                      : Position::end();
    if (concerns(pieces[i])) {
      judge(pieces[i], end, writer);
    } else {
      writer.push(pieces[i]);
    }
  }
  replace(chunk, from, to, scratch);
}

}  // namespace weir::match
