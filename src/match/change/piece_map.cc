// SPDX-License-Identifier: Apache-2.0
#include "match/change/piece_map.h"

#include <algorithm>
#include <utility>

namespace weir::match {
namespace {

std::ptrdiff_t signed_of(std::size_t offset) { return static_cast<std::ptrdiff_t>(offset); }

}  // namespace

Piece PieceMap::make_piece(Position begin, const PieceState& state) const {
  return {begin, state,
          state.has_last() ? movement_.quiet_band(begin.threshold, state.last) : Band::empty()};
}

void PieceMap::append(Position begin, const PieceState& state) {
  if (chunks_.empty() || chunks_.back().size() == kChunkSizeMax) {
    insert_chunk(chunks_.size(), {make_piece(begin, state)});
  } else {
    chunks_.back().push_back(make_piece(begin, state));
  }
  touch(chunks_.size() - 1);
  ++size_;
}

std::optional<PieceState> PieceMap::state_at(Position position) const {
  const Place place = find(position);
  if (!place.exists()) return std::nullopt;
  return at(place).state;
}

void PieceMap::set(Position position, const PieceState& state) {
  Place place = find(position);
  if (!place.exists()) {
    insert_after(place, make_piece(position, state));
    return;
  }
  const Piece old = at(place);
  if (old.state == state) return;
  const Position end = end_of(place);
  if (old.begin < position) {
    place = insert_after(place, make_piece(position, state));
  } else {
    at(place) = make_piece(position, state);
    touch(place.chunk);
  }
  if (position.next() < end) insert_after(place, {position.next(), old.state, Band::empty()});
}

void PieceMap::settle(Position position, const ThresholdIndex& index) {
  if (chunks_.empty()) return;
  const Place place = find(position);
  const Position begin = place.exists() ? at(place).begin : position;
  const ThresholdIndex::Cursor first = index.lower_bound(begin);
  // From right to left, so that places stay where they are.
  const Place next = place.exists() ? after(place) : Place{0, 0};
  if (next.exists() && at(next).begin == position.next()) {
    settle_piece(next, index.seek(first, position.next()), index);
  }
  if (place.exists()) settle_piece(place, first, index);
}

// `first` is the first subscriber at or behind the piece's begin.
void PieceMap::settle_piece(Place place, ThresholdIndex::Cursor first,
                            const ThresholdIndex& index) {
  Piece& piece = at(place);
  const Place left = before(place);
  if (first == index.end() || index.at(first) >= end_of(place)) {
    erase(place);
    if (left.exists()) unite(left);
    return;
  }
  if (piece.begin != index.at(first) || piece.band.is_empty()) {
    piece = make_piece(index.at(first), piece.state);
    if (place.offset == 0) firsts_[place.chunk] = piece.begin;
    touch(place.chunk);
  }
  unite(place);
  if (left.exists()) unite(left);
}

void PieceMap::settle_all(const ThresholdIndex& index) {
  PieceMap settled(movement_);
  const std::vector<Pieces> chunks = std::move(chunks_);
  ThresholdIndex::Cursor cursor = index.begin();
  std::optional<Piece> waiting;  // for its end to be known
  const auto settle_piece = [&](Position end) {
    cursor = index.seek(cursor, waiting->begin);
    if (cursor == index.end() || index.at(cursor) >= end) return;
    const bool unites =
        !settled.chunks_.empty() && settled.chunks_.back().back().state == waiting->state;
    if (!unites) settled.append(index.at(cursor), waiting->state);
  };
  for (const Pieces& chunk : chunks) {
    for (const Piece& piece : chunk) {
      if (waiting) settle_piece(piece.begin);
      waiting = piece;
    }
  }
  if (waiting) settle_piece(Position::end());
  settled.refresh();
  *this = std::move(settled);
}

// With the piece behind, if they are equal.
void PieceMap::unite(Place place) {
  const Place next = after(place);
  if (next.exists() && at(next).state == at(place).state) erase(next);
}

PieceMap::Place PieceMap::find(Position position) const {
  const auto chunk = std::upper_bound(firsts_.begin(), firsts_.end(), position);
  if (chunk == firsts_.begin()) return {};
  const auto index = static_cast<std::size_t>(chunk - firsts_.begin()) - 1;
  const Pieces& pieces = chunks_[index];
  const auto behind = std::upper_bound(
      pieces.begin(), pieces.end(), position,
      [](const Position& sought, const Piece& piece) { return sought < piece.begin; });
  return {index, static_cast<std::size_t>(behind - pieces.begin()) - 1};
}

PieceMap::Place PieceMap::before(Place place) const {
  if (place.offset > 0) return {place.chunk, place.offset - 1};
  if (place.chunk == 0) return {};
  return {place.chunk - 1, chunks_[place.chunk - 1].size() - 1};
}

PieceMap::Place PieceMap::after(Place place) const {
  if (place.offset + 1 < chunks_[place.chunk].size()) return {place.chunk, place.offset + 1};
  if (place.chunk + 1 == chunks_.size()) return {};
  return {place.chunk + 1, 0};
}

Position PieceMap::end_of(Place place) const {
  const Place next = after(place);
  return next.exists() ? at(next).begin : Position::end();
}

// Before all others if there is no such place.
PieceMap::Place PieceMap::insert_after(Place place, const Piece& piece) {
  ++size_;
  if (chunks_.empty()) {
    insert_chunk(0, {piece});
    touch(0);
    return {0, 0};
  }
  Place at_place = place.exists() ? Place{place.chunk, place.offset + 1} : Place{0, 0};
  if (chunks_[at_place.chunk].size() == kChunkSizeMax) {
    split(at_place.chunk);
    const std::size_t half = chunks_[at_place.chunk].size();
    if (at_place.offset > half) at_place = {at_place.chunk + 1, at_place.offset - half};
  }
  Pieces& pieces = chunks_[at_place.chunk];
  pieces.insert(pieces.begin() + signed_of(at_place.offset), piece);
  firsts_[at_place.chunk] = pieces.front().begin;
  touch(at_place.chunk);
  return at_place;
}

void PieceMap::erase(Place place) {
  --size_;
  Pieces& pieces = chunks_[place.chunk];
  pieces.erase(pieces.begin() + signed_of(place.offset));
  if (pieces.empty()) {
    erase_chunk(place.chunk);
    return;
  }
  firsts_[place.chunk] = pieces.front().begin;
  touch(place.chunk);
}

void PieceMap::replace(std::size_t chunk, std::size_t from, std::size_t to, const Pieces& pieces) {
  Pieces& target = chunks_[chunk];
  const std::size_t common = std::min(to - from, pieces.size());
  const auto at = std::copy_n(pieces.begin(), common, target.begin() + signed_of(from));
  if (to - from > common) target.erase(at, target.begin() + signed_of(to));
  target.insert(at, pieces.begin() + signed_of(common), pieces.end());
  size_ += pieces.size() - (to - from);
  reshaped_ = reshaped_ || target.empty() || target.size() > kChunkSizeMax;
  if (!target.empty()) firsts_[chunk] = target.front().begin;
}

void PieceMap::insert_chunk(std::size_t chunk, Pieces pieces) {
  for (std::size_t& touched : touched_) touched += touched >= chunk ? 1U : 0U;
  const std::ptrdiff_t at = signed_of(chunk);
  firsts_.insert(firsts_.begin() + at, pieces.front().begin);
  summaries_.insert(summaries_.begin() + at, PieceSummary());
  chunks_.insert(chunks_.begin() + at, std::move(pieces));
  reshaped_ = true;
}

void PieceMap::erase_chunk(std::size_t chunk) {
  std::erase(touched_, chunk);
  for (std::size_t& touched : touched_) touched -= touched > chunk ? 1U : 0U;
  const std::ptrdiff_t at = signed_of(chunk);
  firsts_.erase(firsts_.begin() + at);
  summaries_.erase(summaries_.begin() + at);
  chunks_.erase(chunks_.begin() + at);
  reshaped_ = true;
}

void PieceMap::split(std::size_t chunk) {
  Pieces& left = chunks_[chunk];
  const std::ptrdiff_t half = signed_of(left.size() / 2);
  Pieces right(left.begin() + half, left.end());
  left.erase(left.begin() + half, left.end());
  insert_chunk(chunk + 1, std::move(right));
  touch(chunk);
  touch(chunk + 1);
}

void PieceMap::touch(std::size_t chunk) {
  if (!touched_.empty() && touched_.back() == chunk) return;
  if (touched_.size() == kTouchedMax) {
    for (const std::size_t stale : touched_) summarise_chunk(stale);
    touched_.clear();
    reshaped_ = true;
  }
  touched_.push_back(chunk);
}

void PieceMap::refresh() {
  if (touched_.empty() && !reshaped_) return;
  if (std::exchange(reshaped_, false)) {
    repack();
    for (const std::size_t chunk : touched_) summarise_chunk(chunk);
    groups_.resize((chunks_.size() + kGroupSize - 1) / kGroupSize);
    for (std::size_t group = 0; group < groups_.size(); ++group) summarise_group(group);
  } else {
    for (const std::size_t chunk : touched_) summarise_chunk(chunk);
    for (const std::size_t chunk : touched_) summarise_group(chunk / kGroupSize);
  }
  touched_.clear();
  total_ = PieceSummary();
  for (const PieceSummary& group : groups_) total_.add(group);
}

bool PieceMap::is_sparse() const { return chunks_.size() > 8 + 8 * size_ / kChunkSizeMax; }

// Puts right what a rewrite has left: chunks that are empty or too large; and many small ones.
void PieceMap::repack() {
  const bool sparse = is_sparse();
  const auto fits = [](const Pieces& pieces) {
    return !pieces.empty() && pieces.size() <= kChunkSizeMax;
  };
  if (!sparse && std::all_of(chunks_.begin(), chunks_.end(), fits)) return;

  std::vector<bool> stale(chunks_.size());
  for (const std::size_t chunk : touched_) stale[chunk] = true;
  touched_.clear();
  std::vector<Pieces> chunks;
  std::vector<PieceSummary> summaries;
  const auto add = [&](Pieces pieces, const PieceSummary& summary, bool is_stale) {
    if (is_stale) touched_.push_back(chunks.size());
    chunks.push_back(std::move(pieces));
    summaries.push_back(summary);
  };
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    Pieces& pieces = chunks_[i];
    if (pieces.size() > kChunkSizeMax) {
      const std::ptrdiff_t half = signed_of(kChunkSizeMax / 2);
      for (auto from = pieces.begin(); from != pieces.end();) {
        const auto to = pieces.end() - from > half ? from + half : pieces.end();
        add(Pieces(from, to), {}, true);
        from = to;
      }
    } else if (sparse && !chunks.empty() &&
               chunks.back().size() + pieces.size() <= kChunkSizeMax / 2) {
      chunks.back().insert(chunks.back().end(), pieces.begin(), pieces.end());
      summaries.back().add(summaries_[i]);
      const bool is_listed = !touched_.empty() && touched_.back() == chunks.size() - 1;
      if (stale[i] && !is_listed) touched_.push_back(chunks.size() - 1);
    } else if (!pieces.empty()) {
      add(std::move(pieces), summaries_[i], stale[i]);
    }
  }
  chunks_ = std::move(chunks);
  summaries_ = std::move(summaries);
  firsts_.clear();
  for (const Pieces& pieces : chunks_) firsts_.push_back(pieces.front().begin);
}

void PieceMap::summarise_chunk(std::size_t chunk) {
  PieceSummary summary;
  for (const Piece& piece : chunks_[chunk]) summary.add(piece);
  summaries_[chunk] = summary;
}

void PieceMap::summarise_group(std::size_t group) {
  PieceSummary summary;
  const std::size_t end = std::min(chunks_.size(), (group + 1) * kGroupSize);
  for (std::size_t chunk = group * kGroupSize; chunk < end; ++chunk) {
    summary.add(summaries_[chunk]);
  }
  groups_[group] = summary;
}

std::size_t PieceMap::memory_bytes() const {
  std::size_t bytes = chunks_.capacity() * sizeof(Pieces) + firsts_.capacity() * sizeof(Position) +
                      (summaries_.capacity() + groups_.capacity()) * sizeof(PieceSummary) +
                      touched_.capacity() * sizeof(std::size_t);
  for (const Pieces& pieces : chunks_) bytes += pieces.capacity() * sizeof(Piece);
  return bytes;
}

}  // namespace weir::match
