// SPDX-License-Identifier: Apache-2.0
#include "match/text_corpus.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace weir::match {

// A place in the table, and what the heap has of a term that does not fit there.
std::size_t TextCorpus::term_bytes(std::string_view term) {
  constexpr std::size_t kTableBytes = 85;
  constexpr std::size_t kInPlaceBytesMax = 15;
  constexpr std::size_t kHeapBytes = 16;
  return kTableBytes + (term.size() > kInPlaceBytesMax ? kHeapBytes + term.size() : 0);
}

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

TextCorpus::TextCorpus(TextCorpusOptions options, const CorpusCounts& counts)
    : options_(options), document_count_(counts.document_count), epoch_{1, counts.document_count} {
  const std::size_t kept = std::min(counts.terms.size(), options_.term_count_max);
  overflow_count_ = counts.terms.size() - kept;
  terms_.reserve(kept);
  for (const auto& [term, count] : std::span(counts.terms).first(kept)) {
    terms_.emplace(term, Term{.document_count = count});
    memory_.grow(term_bytes(term));
  }
}

TextCorpus::SortedTerms TextCorpus::sorted_terms() const {
  SortedTerms sorted(terms_.begin(), terms_.end());
  std::ranges::sort(sorted, {}, &SortedTerms::value_type::first);
  return sorted;
}

CorpusCounts TextCorpus::counts(std::string language) const {
  CorpusCounts counts{std::move(language), document_count_, {}};
  counts.terms.reserve(terms_.size());
  for (const auto& [term, counted] : sorted_terms()) {
    counts.terms.emplace_back(term, counted.document_count);
  }
  return counts;
}

void TextCorpus::add(const TermCounts& document, base::Instant now) {
  if (epoch_.number > 0 && !epoch_.begin) epoch_.begin = now;
  ++document_count_;
  for (const TermCount& counted : document.counts) {
    const auto found = terms_.find(counted.term);
    if (found != terms_.end()) {
      count(found->second);
    } else if (take_room(counted.term)) {
      count(terms_.emplace(counted.term, Term{}).first->second);
    } else {
      ++overflow_count_;
    }
  }
  if (is_epoch_over(now)) epoch_ = {epoch_.number + 1, document_count_, now};
}

bool TextCorpus::take_room(std::string_view term) {
  const std::size_t bytes = term_bytes(term);
  return terms_.size() < options_.term_count_max && memory_.bytes() + bytes <= options_.bytes_max &&
         memory_.try_grow(bytes) == nullptr;
}

void TextCorpus::draw_from(base::MemoryAccount::Ptr memory) {
  base::MemoryCharge charge(std::move(memory));
  charge.grow(memory_.bytes());
  memory_ = std::move(charge);
}

void TextCorpus::count(Term& term) const {
  if (term.frozen_epoch != epoch_.number) {
    term.frozen_count = term.document_count;
    term.frozen_epoch = epoch_.number;
  }
  ++term.document_count;
}

bool TextCorpus::is_epoch_over(base::Instant now) const {
  constexpr std::uint64_t kGrowthDivisor = 16;
  if (epoch_.number == 0) return true;
  const std::uint64_t growth =
      std::min(epoch_.document_count / kGrowthDivisor, options_.epoch_document_count_max);
  return document_count_ - epoch_.document_count >= std::max<std::uint64_t>(growth, 1) ||
         now - *epoch_.begin > options_.epoch_time;
}

double TextCorpus::idf(std::string_view term) const {
  if (epoch_.document_count == 0) return 0.0;
  const auto found = terms_.find(term);
  const std::uint64_t having = found == terms_.end() ? 0 : frozen_count(found->second);
  return std::log(static_cast<double>(epoch_.document_count) /
                  static_cast<double>(std::max<std::uint64_t>(having, 1)));
}

TextCorpus TextCorpus::excerpt(std::initializer_list<const TermCounts*> documents) const {
  TextCorpus part(options_);
  part.document_count_ = document_count_;
  part.overflow_count_ = overflow_count_;
  part.epoch_ = epoch_;
  for (const TermCounts* const document : documents) {
    for (const TermCount& counted : document->counts) {
      const auto found = terms_.find(counted.term);
      if (found != terms_.end()) part.terms_.insert(*found);
    }
  }
  return part;
}

double share(std::size_t frequency, const TermCounts& document, double idf) {
  return static_cast<double>(frequency) / static_cast<double>(document.frequency_max) * idf;
}

TextScore score(std::span<const std::string> query_terms, const TermCounts& document,
                const TextCorpus& corpus) {
  TextScore result;
  std::set<std::string_view> scored;
  for (const std::string& term : query_terms) {
    const std::size_t frequency = document.frequency(term);
    if (frequency == 0 || !scored.insert(term).second) continue;
    const double of_term = share(frequency, document, corpus.idf(term));
    result.shares.emplace_back(term, of_term);
    result.total += of_term;
  }
  return result;
}

}  // namespace weir::match
