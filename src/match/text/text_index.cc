// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_index.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace weir::match::text {

TextIndex::TextIndex(const TextIndexOptions& options)
    : options_(options),
      placement_(
          std::make_unique<TextPlacement>(PlacementContext{terms_, frequencies_, filters_}, 0)) {}

void TextIndex::add(const TextFilter& filter) {
  const RecordRef record = intern(filter);
  if (record != kNoId) placement_->add(record);
}

void TextIndex::add_all(std::span<const TextFilter> filters) {
  std::size_t term_count = 0;
  for (const TextFilter& filter : filters) term_count += filter.terms.size();
  filters_.reserve(filters.size(), term_count);
  std::vector<RecordRef> records;
  records.reserve(filters.size());
  for (const TextFilter& filter : filters) {
    const RecordRef record = intern(filter);
    if (record != kNoId) records.push_back(record);
  }
  placement_->add_all(records);
}

RecordRef TextIndex::intern(const TextFilter& filter) {
  WEIR_CHECK(!filter.terms.empty() && filter.terms.size() <= kQueryTermCountMax);
  WEIR_CHECK(std::isfinite(filter.score_min) && filter.score_min >= 0);
  ids_.clear();
  for (const std::string_view term : filter.terms) ids_.push_back(terms_.acquire(term));
  shares_.resize(terms_.id_end());
  frequencies_.resize(terms_.id_end());
  // A threshold of -0.0 is one of 0.
  const auto added = filters_.add(filter.member, filter.mode, ids_, filter.score_min + 0.0);
  if (added.is_new) return added.record;
  for (const TermId id : ids_) terms_.release(id);
  return kNoId;
}

void TextIndex::remove(MemberId member) {
  const RecordRef record = filters_.remove(member);
  if (filters_.has_members(record)) return;
  placement_of(record).remove(record);
  for (const TermId term : filters_.terms(record)) {
    if (!terms_.release(term)) continue;
    frequencies_.forget(term);
    placement_->forget(term);
    if (old_) old_->forget(term);
  }
  filters_.erase(record);
}

void TextIndex::update(const TextFilter& filter) {
  remove(filter.member);
  add(filter);
}

TextPlacement& TextIndex::placement_of(RecordRef record) {
  return filters_.side(record) == placement_->side() ? *placement_ : *old_;
}

void TextIndex::match(std::span<const DocumentTerm> document, std::vector<TextHit>& hits) {
  ++counters_.documents;
  shares_.set(document);
  find(*placement_, document, hits);
  if (old_) find(*old_, document, hits);
  shares_.clear(document);
  observe(document);
  adapt();
}

void TextIndex::find(TextPlacement& placement, std::span<const DocumentTerm> document,
                     std::vector<TextHit>& hits) {
  candidates_.clear();
  placement.find(document, shares_, candidates_);
  counters_.scanned += placement.read_count();
  constexpr std::size_t kAhead = 8;  // records are hardly ever in the cache
  const std::size_t count = candidates_.size();
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) {
    filters_.prefetch(candidates_[i].record);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) filters_.prefetch(candidates_[i + kAhead].record);
    verify(placement, candidates_[i], hits);
  }
}

// By definition; and a filter with an earlier term in the document is found through that one.
void TextIndex::verify(const TextPlacement& placement, const Candidate& candidate,
                       std::vector<TextHit>& hits) {
  ++counters_.verified;
  const RecordRef record = candidate.record;
  const bool needs_all = filters_.mode(record) == TextMode::kAll;
  double score = 0;
  for (const TermId term : filters_.terms(record)) {
    if (shares_.has(term) ? placement.comes_before(term, candidate.term) : needs_all) return;
    score += shares_[term];
  }
  if (score < filters_.score_min(record)) return;
  filters_.for_each_member(record, [&](MemberId member) {
    hits.push_back({member, score});
    ++counters_.matched;
  });
}

// One document of several will do.
void TextIndex::observe(std::span<const DocumentTerm> document) {
  if (counters_.documents % options_.documents_per_count != 0) return;
  frequencies_.begin_document();
  for (const DocumentTerm& term : document) frequencies_.count(term.term);
}

void TextIndex::adapt() {
  constexpr std::uint64_t kDocumentsPerLook = 4;
  if (old_) {
    move_some();
  } else if (counters_.documents % kDocumentsPerLook == 0 && is_worth_moving()) {
    begin_moving();
  }
}

// A filter among the rows that were read is met as often as it costs: so the mean of how often its
// rarest term comes, to how often the first one here does, tells what part of all that would be
// left. It is a guess, and may be too good: so the guess right after a move, when there is nothing
// to gain, is what counts as 1.
bool TextIndex::is_worth_moving() {
  constexpr std::size_t kSampleCount = 256;
  constexpr double kWorthwhile = 0.8;
  constexpr double kLeftByMoveMin = 0.6;  // less than that is no error of the guess
  constexpr double kPrior = 8;            // few counts are chance
  const std::size_t row_count = placement_->read_count();
  if (row_count == 0 || !frequencies_.is_measured()) return false;
  const RecordRef record = placement_->row_read(prng_.below(row_count));
  const auto frequency = [this](TermId term) { return kPrior + frequencies_.at(term); };
  double best = frequency(placement_->first_term(record));
  const double now = best;
  for (const TermId term : filters_.terms(record)) best = std::min(best, frequency(term));
  ratio_sum_ += best / now;
  if (++ratio_count_ < kSampleCount) return false;
  const double left = std::exchange(ratio_sum_, 0) / static_cast<double>(kSampleCount);
  ratio_count_ = 0;
  if (std::exchange(has_moved_, false)) {
    left_by_move_ = std::max(left, kLeftByMoveMin);
    return false;
  }
  // The stream may still have been changing when that was guessed.
  left_by_move_ = std::max(left_by_move_, left);
  return left <= kWorthwhile * left_by_move_;
}

void TextIndex::begin_moving() {
  old_ = std::move(placement_);
  placement_ = std::make_unique<TextPlacement>(PlacementContext{terms_, frequencies_, filters_},
                                               1 - old_->side());
  move_slot_ = 0;
  ++counters_.placements;
}

// Slots may change places meanwhile: so they are gone through until nothing is left to move.
void TextIndex::move_some() {
  constexpr int kMovesPerDocument = 16;
  constexpr int kSlotsPerDocument = 128;
  int moves = 0;
  for (int i = 0; i < kSlotsPerDocument && moves < kMovesPerDocument && old_->size() > 0; ++i) {
    if (move_slot_ >= filters_.slot_count()) move_slot_ = 0;
    const RecordRef record = filters_.at_slot(move_slot_++);
    if (record == kNoId || filters_.side(record) != old_->side()) continue;
    old_->remove(record);
    placement_->add(record);
    ++moves;
  }
  counters_.moves += static_cast<std::uint64_t>(moves);
  if (old_->size() > 0) return;
  old_.reset();
  has_moved_ = true;
}

std::size_t TextIndex::memory_bytes() const {
  return terms_.memory_bytes() + frequencies_.memory_bytes() + filters_.memory_bytes() +
         placement_->memory_bytes() + (old_ ? old_->memory_bytes() : 0) + shares_.memory_bytes() +
         candidates_.capacity() * sizeof(Candidate) + ids_.capacity() * sizeof(TermId);
}

}  // namespace weir::match::text
