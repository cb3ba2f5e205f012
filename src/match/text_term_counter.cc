// SPDX-License-Identifier: Apache-2.0
#include "match/text_term_counter.h"

#include <algorithm>
#include <utility>

namespace weir::match {
namespace {

// Sorts, and counts equal terms together.
TermCounts in_order(std::vector<TermCount> counted) {
  std::ranges::sort(counted, {}, &TermCount::term);
  TermCounts document;
  std::size_t kept = 0;
  for (TermCount& one : counted) {
    if (kept > 0 && counted[kept - 1].term == one.term) {
      counted[kept - 1].frequency += one.frequency;
    } else if (&counted[kept++] != &one) {
      counted[kept - 1] = std::move(one);
    }
  }
  counted.resize(kept);
  document.counts = std::move(counted);
  for (const TermCount& one : document.counts) {
    document.frequency_max = std::max(document.frequency_max, one.frequency);
  }
  return document;
}

}  // namespace

void TextTermCounter::count(std::string_view text, TextAnalyzer& analyzer,
                            std::size_t term_count_max) {
  analyzer.start(text);
  for (auto tokens = analyzer.next(); !tokens.empty() && term_count() <= term_count_max;
       tokens = analyzer.next()) {
    if (analyzer_ != &analyzer || generation_ != analyzer.generation()) forget_ids();
    analyzer_ = &analyzer;
    generation_ = analyzer.generation();
    for (const TextToken& token : tokens) {
      if (token.word >= places_.size()) places_.resize(2 * std::size_t{token.word} + 64);
      std::uint32_t& place = places_[token.word];
      if (place == 0) {
        const std::string_view term = analyzer.word(token.word).term;
        if (term.empty()) continue;
        place = place_of(term);
        ids_.push_back(token.word);
      }
      ++counted_[place - 1].frequency;
    }
  }
}

std::uint32_t TextTermCounter::place_of(std::string_view term) {
  if (const auto known = terms_.find(term); known != terms_.end()) return known->second;
  counted_.push_back({std::string(term), 0});
  const auto place = static_cast<std::uint32_t>(counted_.size());
  terms_.emplace(term, place);
  return place;
}

void TextTermCounter::forget_ids() {
  for (const std::uint32_t id : ids_) places_[id] = 0;
  ids_.clear();
}

TermCounts TextTermCounter::take() {
  forget_ids();
  terms_.clear();
  return in_order(std::exchange(counted_, {}));
}

void TextTermCounter::drop() {
  forget_ids();
  terms_.clear();
  counted_.clear();
}

TermCounts merge_terms(const std::vector<const TermCounts*>& documents) {
  std::vector<TermCount> counted;
  for (const TermCounts* const document : documents) {
    counted.insert(counted.end(), document->counts.begin(), document->counts.end());
  }
  return in_order(std::move(counted));
}

}  // namespace weir::match
