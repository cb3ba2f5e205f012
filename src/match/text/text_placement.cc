// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_placement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace weir::match::text {
namespace {

float rounded_down(double value) {
  constexpr float kMax = std::numeric_limits<float>::max();
  if (value >= static_cast<double>(kMax)) return kMax;
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) > value ? std::nextafter(rounded, 0.0F) : rounded;
}

}  // namespace

// Four levels for each factor of two. Before there are documents to count, what filters often name
// is taken for common.
std::uint8_t TextPlacement::level_of(TermId term) const {
  const std::uint64_t count =
      4 + std::uint64_t{context_.frequencies.is_measured() ? context_.frequencies.at(term)
                                                           : context_.terms.use_count(term)};
  const auto shift = static_cast<unsigned>(std::bit_width(count)) - 3;
  return static_cast<std::uint8_t>(std::uint64_t{shift} * 4 + (count >> shift & 3U));
}

void TextPlacement::meet(std::span<const TermId> terms) {
  if (levels_.size() < context_.terms.id_end()) {
    levels_.resize(context_.terms.id_end(), kNoLevel);
    lists_.resize(context_.terms.id_end());
  }
  for (const TermId term : terms) {
    if (levels_[term] == kNoLevel) levels_[term] = level_of(term);
  }
}

void TextPlacement::forget(TermId term) {
  if (term < levels_.size()) levels_[term] = kNoLevel;
}

std::size_t TextPlacement::order(RecordRef record) {
  const std::span<const TermId> terms = context_.filters.terms(record);
  ordered_.assign(terms.begin(), terms.end());
  const auto before = [this](TermId left, TermId right) { return comes_before(left, right); };
  std::ranges::sort(ordered_, before);
  WEIR_CHECK(std::ranges::adjacent_find(ordered_) == ordered_.end());
  return context_.filters.mode(record) == TextMode::kAll ? 1 : ordered_.size();
}

RowKind TextPlacement::kind_at(RecordRef record, std::size_t rank) const {
  return RowKind::of(context_.filters.mode(record), ordered_.size() - rank - 1);
}

PostingLists::Row TextPlacement::row_at(RecordRef record, std::size_t rank) const {
  const std::span<const TermId> later = std::span(ordered_).subspan(rank + 1);
  return {rounded_down(context_.filters.score_min(record)), record,
          later.size() < RowKind::kInlineCount ? later : std::span<const TermId>()};
}

void TextPlacement::add(RecordRef record) {
  meet(context_.filters.terms(record));
  const std::size_t row_count = order(record);
  for (std::size_t rank = 0; rank < row_count; ++rank) {
    lists_.insert(ordered_[rank], kind_at(record, rank), row_at(record, rank));
  }
  context_.filters.set_side(record, side_);
  ++size_;
}

void TextPlacement::remove(RecordRef record) {
  const std::size_t row_count = order(record);
  const float score_min = rounded_down(context_.filters.score_min(record));
  for (std::size_t rank = 0; rank < row_count; ++rank) {
    lists_.erase(ordered_[rank], kind_at(record, rank), score_min, record);
  }
  --size_;
}

// Rows are written where all rows of their term are, one behind the other, and then term by term in
// their order.
void TextPlacement::add_all(std::span<const RecordRef> records) {
  for (const RecordRef record : records) meet(context_.filters.terms(record));
  std::vector<std::size_t> ends(levels_.size() + 1);
  for (const RecordRef record : records) {
    const std::size_t row_count = order(record);
    for (std::size_t rank = 0; rank < row_count; ++rank) {
      ends[ordered_[rank] + 1] += 1 + kind_at(record, rank).row_words();
    }
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> words(ends.back());
  for (const RecordRef record : records) {
    const std::size_t row_count = order(record);
    for (std::size_t rank = 0; rank < row_count; ++rank) {
      const PostingLists::Row row = row_at(record, rank);
      std::size_t& at = ends[ordered_[rank]];
      words[at++] = kind_at(record, rank).value;
      words[at++] = std::bit_cast<std::uint32_t>(row.score_min);
      words[at++] = row.record;
      for (const TermId term : row.later) words[at++] = term;
    }
    context_.filters.set_side(record, side_);
  }
  std::size_t begin = 0;
  for (TermId term = 0; term < levels_.size(); ++term) {
    write_rows(term, std::span(words).subspan(begin, ends[term] - begin));
    begin = ends[term];
  }
  size_ += records.size();
}

void TextPlacement::write_rows(TermId term, std::span<const std::uint32_t> words) {
  using Pending = std::pair<RowKind, PostingLists::Row>;
  std::vector<Pending> rows;
  for (std::size_t at = 0; at < words.size();) {
    const RowKind kind{static_cast<std::uint8_t>(words[at])};
    const auto row = words.subspan(at + 1, kind.row_words());
    rows.emplace_back(kind,
                      PostingLists::Row{std::bit_cast<float>(row[0]), row[1], row.subspan(2)});
    at += 1 + kind.row_words();
  }
  std::ranges::sort(rows, [](const Pending& left, const Pending& right) {
    if (left.first != right.first) return left.first < right.first;
    const PostingLists::Row& a = left.second;
    const PostingLists::Row& b = right.second;
    return a.score_min != b.score_min ? a.score_min < b.score_min : a.record < b.record;
  });
  const bool is_first = lists_.chunks(term).empty();
  for (const auto& [kind, row] : rows) {
    if (is_first) {
      lists_.append(term, kind, row);
    } else {
      lists_.insert(term, kind, row);
    }
  }
  if (is_first) lists_.shrink(term);
}

// Step by step for all terms, so that what the next step needs is under way in the meantime.
void TextPlacement::find(std::span<const DocumentTerm> document, const DocumentShares& shares,
                         std::vector<Candidate>& candidates) {
  sort_by_level(document);
  open_terms();
  open_chunks();
  read_count_ = 0;
  constexpr std::size_t kAhead = 3;
  for (std::size_t i = 0; i < scans_.size(); ++i) {
    if (i + kAhead < scans_.size()) prefetch_rows(scans_[i + kAhead]);
    scan_rows(scans_[i], shares, candidates);
    read_count_ += scans_[i].row_count;
  }
}

// Terms that no filter here has are left out. Afterwards the terms of a level end where the next
// level's begin.
void TextPlacement::sort_by_level(std::span<const DocumentTerm> document) {
  level_begins_.fill(0);
  for (const DocumentTerm& term : document) {
    if (term.term >= levels_.size() || levels_[term.term] == kNoLevel) continue;
    ++level_begins_[levels_[term.term]];
    lists_.prefetch_gate(term.term);
  }
  std::partial_sum(level_begins_.begin(), level_begins_.end(), level_begins_.begin());
  sorted_.resize(level_begins_.back());
  for (const DocumentTerm& term : document) {
    if (term.term >= levels_.size() || levels_[term.term] == kNoLevel) continue;
    sorted_[--level_begins_[levels_[term.term]]] = term;
  }
}

// From the common to the rare. Terms of one level are not told apart here: each counts as behind
// the others.
void TextPlacement::open_terms() {
  open_.clear();
  tops_.clear();
  TopShares top;
  for (std::size_t end = sorted_.size(); end > 0;) {
    const std::size_t begin = level_begins_[levels_[sorted_[end - 1].term]];
    const std::size_t open_count = open_.size();
    for (std::size_t i = begin; i < end; ++i) top.add(sorted_[i].share);
    for (std::size_t i = begin; i < end; ++i) {
      const DocumentTerm& term = sorted_[i];
      if (!top.opens(lists_.gate(term.term), term.share)) continue;
      open_.push_back({term, static_cast<std::uint32_t>(tops_.size())});
      lists_.prefetch_list(term.term);
    }
    if (open_.size() != open_count) tops_.push_back(top);
    end = begin;
  }
}

void TextPlacement::open_chunks() {
  scans_.clear();
  for (const OpenTerm& open : open_) lists_.prefetch_chunks(open.term.term);
  for (const auto& [term, top] : open_) {
    for (const PostingLists::Chunk& chunk : lists_.chunks(term.term)) {
      const double reach = tops_[top].reach(term.share, chunk.kind().later_count_max());
      if (static_cast<double>(chunk.first_score_min()) > reach) continue;
      scans_.push_back({&chunk, term, reach});
      __builtin_prefetch(chunk.words().data());
    }
  }
}

RecordRef TextPlacement::row_read(std::size_t index) const {
  for (const ChunkScan& scan : scans_) {
    if (index < scan.row_count) {
      return scan.chunk->words()[index * scan.chunk->kind().row_words() + 1];
    }
    index -= scan.row_count;
  }
  return kNoId;
}

TermId TextPlacement::first_term(RecordRef record) const {
  return *std::ranges::min_element(
      context_.filters.terms(record),
      [this](TermId left, TermId right) { return comes_before(left, right); });
}

std::size_t TextPlacement::memory_bytes() const {
  return lists_.memory_bytes() + levels_.capacity() + ordered_.capacity() * sizeof(TermId) +
         sorted_.capacity() * sizeof(DocumentTerm) + tops_.capacity() * sizeof(TopShares) +
         open_.capacity() * sizeof(OpenTerm) + scans_.capacity() * sizeof(ChunkScan);
}

}  // namespace weir::match::text
