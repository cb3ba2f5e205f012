// SPDX-License-Identifier: Apache-2.0
#include "match/text_corpus.h"

#include <algorithm>
#include <cmath>

namespace weir::match {

std::size_t TermCounts::frequency(std::string_view term) const {
  const auto found = std::ranges::lower_bound(counts, term, {}, &TermCount::term);
  return found != counts.end() && found->term == term ? found->frequency : 0;
}

TermCounts count_terms(std::vector<std::string> terms) {
  std::ranges::sort(terms);
  TermCounts document;
  for (std::string& term : terms) {
    if (document.counts.empty() || document.counts.back().term != term) {
      document.counts.push_back({std::move(term), 0});
    }
    const std::size_t frequency = ++document.counts.back().frequency;
    document.frequency_max = std::max(document.frequency_max, frequency);
  }
  return document;
}

void TextCorpus::add(const TermCounts& document) {
  ++document_count_;
  for (const TermCount& count : document.counts) {
    const auto found = document_counts_.find(count.term);
    if (found != document_counts_.end()) {
      ++found->second;
    } else if (document_counts_.size() < options_.term_count_max) {
      document_counts_.emplace(count.term, 1);
    } else {
      ++overflow_count_;
    }
  }
}

double TextCorpus::idf(std::string_view term) const {
  const auto found = document_counts_.find(term);
  if (found == document_counts_.end() && overflow_count_ == 0) return 0.0;
  const std::uint64_t having = found == document_counts_.end() ? 1 : found->second;
  return std::log(static_cast<double>(document_count_) / static_cast<double>(having));
}

TextScore score(std::span<const std::string> query_terms, const TermCounts& document,
                const TextCorpus& corpus) {
  TextScore result;
  for (const std::string& term : query_terms) {
    const std::size_t frequency = document.frequency(term);
    const bool repeated =
        std::ranges::any_of(result.shares, [&](const auto& share) { return share.first == term; });
    if (frequency == 0 || repeated) continue;
    const double weight =
        static_cast<double>(frequency) / static_cast<double>(document.frequency_max);
    const double share = weight * corpus.idf(term);
    result.shares.emplace_back(term, share);
    result.total += share;
  }
  return result;
}

}  // namespace weir::match
