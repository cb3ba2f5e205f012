// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_placement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "match/text/row_scan.h"

namespace weir::match::text {
namespace {

float rounded_down(double value) {
  constexpr float kMax = std::numeric_limits<float>::max();
  if (value >= static_cast<double>(kMax)) return kMax;
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) > value ? std::nextafter(rounded, 0.0F) : rounded;
}

}  // namespace

// Four levels for each factor of two.
std::uint8_t TextPlacement::level_of(TermId term) const {
  const bool is_measured = context_.frequencies.document_count() >= kDocumentCountMin;
  const std::uint64_t count = 4 + std::uint64_t{is_measured ? context_.frequencies.at(term)
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

// Rows are counted, distributed to their terms, and written term by term.
void TextPlacement::add_all(std::span<const RecordRef> records) {
  for (const RecordRef record : records) meet(context_.filters.terms(record));
  std::vector<std::size_t> ends(levels_.size() + 1);
  for (const RecordRef record : records) {
    const std::size_t row_count = order(record);
    for (std::size_t rank = 0; rank < row_count; ++rank) ++ends[ordered_[rank] + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<PendingRow> rows(ends.back());
  for (const RecordRef record : records) {
    const std::size_t row_count = order(record);
    const float score_min = rounded_down(context_.filters.score_min(record));
    for (std::size_t rank = 0; rank < row_count; ++rank) {
      rows[ends[ordered_[rank]]++] = {score_min, record, kind_at(record, rank)};
    }
    context_.filters.set_side(record, side_);
  }
  std::size_t begin = 0;
  for (TermId term = 0; term < levels_.size(); ++term) {
    write_rows(term, std::span(rows).subspan(begin, ends[term] - begin));
    begin = ends[term];
  }
  size_ += records.size();
}

void TextPlacement::write_rows(TermId term, std::span<PendingRow> rows) {
  if (rows.empty()) return;
  std::ranges::sort(rows, [](const PendingRow& left, const PendingRow& right) {
    if (left.kind != right.kind) return left.kind < right.kind;
    if (left.score_min != right.score_min) return left.score_min < right.score_min;
    return left.record < right.record;
  });
  const bool is_first = lists_.chunks(term).empty();
  for (const PendingRow& pending : rows) {
    order(pending.record);
    const auto rank =
        static_cast<std::size_t>(std::ranges::find(ordered_, term) - ordered_.begin());
    const PostingLists::Row row = row_at(pending.record, rank);
    if (is_first) {
      lists_.append(term, pending.kind, row);
    } else {
      lists_.insert(term, pending.kind, row);
    }
  }
  if (is_first) lists_.shrink(term);
}

void TextPlacement::find(std::span<const DocumentTerm> document, const DocumentShares& shares,
                         std::vector<Candidate>& candidates) {
  sort_by_level(document);
  top_ = TopShares();
  read_.clear();
  read_count_ = 0;
  for (std::size_t level = kLevelCount; level-- > 0;) {
    const std::span<const DocumentTerm> terms(sorted_.data() + level_ends_[level],
                                              sorted_.data() + level_ends_[level + 1]);
    // Terms of one level are not told apart here: each counts as behind the others.
    for (const DocumentTerm& term : terms) top_.add(term.share);
    for (const DocumentTerm& term : terms) scan(term, shares, candidates);
  }
}

// Terms that no filter here has are left out. Afterwards those of a level begin at its end of
// before, and end where the next level's begin.
void TextPlacement::sort_by_level(std::span<const DocumentTerm> document) {
  level_ends_.fill(0);
  for (const DocumentTerm& term : document) {
    if (term.term >= levels_.size() || levels_[term.term] == kNoLevel) continue;
    ++level_ends_[levels_[term.term]];
    lists_.prefetch(term.term);
  }
  std::partial_sum(level_ends_.begin(), level_ends_.end(), level_ends_.begin());
  sorted_.resize(level_ends_.back());
  for (const DocumentTerm& term : document) {
    if (term.term >= levels_.size() || levels_[term.term] == kNoLevel) continue;
    sorted_[--level_ends_[levels_[term.term]]] = term;
    lists_.prefetch_chunks(term.term);
  }
}

void TextPlacement::scan(const DocumentTerm& term, const DocumentShares& shares,
                         std::vector<Candidate>& candidates) {
  for (const PostingLists::Chunk& chunk : lists_.chunks(term.term)) {
    const float reach = top_.reach(term.share, chunk.kind().later_count_max());
    if (chunk.first_score_min() > reach) continue;
    const std::size_t count = scan_rows(chunk, term, reach, shares, candidates);
    read_.push_back({&chunk, count});
    read_count_ += count;
  }
}

RecordRef TextPlacement::row_read(std::size_t index) const {
  for (const auto& [chunk, count] : read_) {
    if (index < count) return chunk->words()[index * chunk->kind().row_words() + 1];
    index -= count;
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
         sorted_.capacity() * sizeof(DocumentTerm) + read_.capacity() * sizeof(ReadRows);
}

}  // namespace weir::match::text
