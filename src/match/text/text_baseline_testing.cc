// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_baseline_testing.h"

namespace weir::match::text {

void TermAtATime::add(std::span<const std::uint32_t> terms, double score_min) {
  constexpr double kMargin = 1 - 0x1.0p-16;  // of sums of floats
  const auto filter = static_cast<std::uint32_t>(score_mins_.size());
  for (const std::uint32_t term : terms) lists_[term].push_back(filter);
  switch (method_) {
    case Method::kSums:
      sums_.push_back({0, static_cast<float>(score_min * kMargin)});
      break;
    case Method::kSumsAndCounts:
      counted_sums_.push_back({0, 0, static_cast<std::uint16_t>(terms.size())});
      break;
    case Method::kCounts:
      counts_.push_back({0, static_cast<std::uint8_t>(terms.size())});
      break;
  }
  score_mins_.push_back(score_min);
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  term_ends_.push_back(static_cast<std::uint32_t>(terms_.size()));
}

void TermAtATime::match(std::span<const DocumentTerm> document, std::vector<TextHit>& hits) {
  for (const auto& [term, share] : document) shares_[term] = share;
  noted_.clear();
  switch (method_) {
    case Method::kSums:
      add_up(document);
      break;
    case Method::kSumsAndCounts:
      add_and_count_up(document);
      break;
    case Method::kCounts:
      count_up(document);
      break;
  }
  for (const std::uint32_t filter : noted_) verify(filter, hits);
  for (const auto& [term, share] : document) shares_[term] = 0;
}

void TermAtATime::add_up(std::span<const DocumentTerm> document) {
  for (const auto& [term, share] : document) {
    const auto step = static_cast<float>(share);
    for (const std::uint32_t filter : lists_[term]) {
      Sum& sum = sums_[filter];
      const float before = sum.score;
      sum.score = before + step;
      if (sum.score >= sum.score_min && before < sum.score_min) noted_.push_back(filter);
    }
  }
  for (const auto& [term, share] : document) {
    for (const std::uint32_t filter : lists_[term]) sums_[filter].score = 0;
  }
}

void TermAtATime::add_and_count_up(std::span<const DocumentTerm> document) {
  for (const auto& [term, share] : document) {
    const auto step = static_cast<float>(share);
    for (const std::uint32_t filter : lists_[term]) {
      CountedSum& sum = counted_sums_[filter];
      sum.score += step;
      if (++sum.count == sum.needed) noted_.push_back(filter);
    }
  }
  for (const auto& [term, share] : document) {
    for (const std::uint32_t filter : lists_[term]) {
      counted_sums_[filter].score = 0;
      counted_sums_[filter].count = 0;
    }
  }
}

void TermAtATime::count_up(std::span<const DocumentTerm> document) {
  for (const auto& [term, share] : document) {
    for (const std::uint32_t filter : lists_[term]) {
      Count& count = counts_[filter];
      if (++count.count == count.needed) noted_.push_back(filter);
    }
  }
  for (const auto& [term, share] : document) {
    for (const std::uint32_t filter : lists_[term]) counts_[filter].count = 0;
  }
}

void TermAtATime::verify(std::uint32_t filter, std::vector<TextHit>& hits) const {
  double score = 0;
  for (std::uint32_t i = filter == 0 ? 0 : term_ends_[filter - 1]; i < term_ends_[filter]; ++i) {
    score += shares_[terms_[i]];
  }
  if (score >= score_mins_[filter]) hits.push_back({filter, score});
}

std::size_t TermAtATime::posting_count(std::span<const DocumentTerm> document) const {
  std::size_t count = 0;
  for (const auto& [term, share] : document) count += lists_[term].size();
  return count;
}

}  // namespace weir::match::text
