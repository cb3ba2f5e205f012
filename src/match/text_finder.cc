// SPDX-License-Identifier: Apache-2.0
#include "match/text_finder.h"

#include <string_view>

namespace weir::match {
namespace {

using Mode = filter::About::Mode;

void add(text::TextCounters& sum, const text::TextCounters& part) {
  sum.documents += part.documents;
  sum.scanned += part.scanned;
  sum.verified += part.verified;
  sum.matched += part.matched;
  sum.placements += part.placements;
  sum.moves += part.moves;
}

}  // namespace

bool TextFinder::can_find(const TextQuery& query) {
  if (query.terms.empty()) return false;
  if (query.mode == Mode::kScore) return query.score_min.value_or(0) > 0;
  return query.mode == Mode::kAll || query.phrases.empty();
}

bool TextFinder::is_exact(const TextQuery& query) {
  return query.phrases.empty() && query.excluded_terms.empty() && query.excluded_phrases.empty();
}

TextFinder::Place TextFinder::add(const filter::About& about, std::uint32_t member) {
  const TextQuery& query = scorer_->query(about);
  const FieldsNumber number = number_of(scorer_->key_of(about.source));
  Fields& fields = *fields_[number];
  if (fields.free_numbers.empty()) {
    fields.free_numbers.push_back(static_cast<text::MemberId>(fields.members.size()));
    fields.members.push_back(0);
  }
  const Place place{number, fields.free_numbers.back()};
  fields.free_numbers.pop_back();
  fields.members[place.number] = member;
  const std::vector<std::string_view> terms(query.terms.begin(), query.terms.end());
  fields.index.add({.member = place.number,
                    .mode = query.mode == Mode::kAll ? text::TextMode::kAll : text::TextMode::kAny,
                    .terms = terms,
                    .score_min = query.score_min.value_or(0)});
  return place;
}

TextFinder::FieldsNumber TextFinder::number_of(const TextScorer::Key& key) {
  const auto [found, is_new] = numbers_.emplace(key, 0);
  if (!is_new) return found->second;
  if (free_fields_.empty()) {
    free_fields_.push_back(static_cast<FieldsNumber>(fields_.size()));
    fields_.emplace_back();
  }
  found->second = free_fields_.back();
  free_fields_.pop_back();
  fields_[found->second] = std::make_unique<Fields>();
  fields_[found->second]->key = key;
  return found->second;
}

void TextFinder::remove(Place place) {
  Fields& fields = *fields_[place.fields];
  fields.index.remove(place.number);
  fields.free_numbers.push_back(place.number);
  if (fields.index.size() > 0) return;
  match::add(ended_, fields.index.counters());
  numbers_.erase(fields.key);
  fields_[place.fields].reset();
  free_fields_.push_back(place.fields);
}

void TextFinder::find(FieldsNumber number, std::vector<std::uint32_t>& members) {
  Fields& fields = *fields_[number];
  const TextScorer::View view = scorer_->view(fields.key);
  if (view.document == nullptr) return;
  document_.clear();
  for (const TermCount& count : view.document->counts) {
    const text::TermId term = fields.index.terms().find(count.term);
    if (term == text::kNoId) continue;
    document_.push_back(
        {term, share(count.frequency, *view.document, view.corpus->idf(count.term))});
  }
  hits_.clear();
  fields.index.match(document_, hits_);
  for (const text::TextHit& hit : hits_) members.push_back(fields.members[hit.member]);
}

text::TextCounters TextFinder::counters() const {
  text::TextCounters sum = ended_;
  for (const auto& fields : fields_) {
    if (fields) match::add(sum, fields->index.counters());
  }
  return sum;
}

std::size_t TextFinder::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& fields : fields_) {
    if (!fields) continue;
    bytes += sizeof(Fields) + fields->index.memory_bytes() +
             fields->members.capacity() * sizeof(std::uint32_t) +
             fields->free_numbers.capacity() * sizeof(text::MemberId);
  }
  return bytes;
}

}  // namespace weir::match
