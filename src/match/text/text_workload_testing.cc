// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_workload_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weir::match::text {
namespace {

constexpr double kStopWordCount = 50;

}  // namespace

TextWorkload::TextWorkload(const TextWorkloadOptions& options)
    : options_(options), prng_(options.seed), document_counts_(kTermCount), idf_(kTermCount) {
  double sum = 0;
  for (std::size_t i = 0; i < kTermCount; ++i) {
    sum += 1 / (static_cast<double>(i + 1) + kStopWordCount);
    cumulative_.push_back(sum);
    names_.push_back(fmt::format("term{}", i));
  }
  for (std::size_t i = 0; i < options.document_count; ++i) {
    const std::size_t spread = options.token_count_max - options.token_count_min + 1;
    counts_.push_back(draw_document(options.token_count_min + prng_.below(spread)));
    for (const auto& [term, frequency] : counts_.back().frequencies) ++document_counts_[term];
  }
  for (std::size_t i = 0; i < kTermCount; ++i) {
    const auto having = static_cast<double>(std::max(document_counts_[i], 1U));
    idf_[i] = std::log(static_cast<double>(options.document_count) / having);
  }
  for (const Counts& counts : counts_) documents_.push_back(shares_of(counts));
}

std::uint32_t TextWorkload::draw() {
  const auto found = std::ranges::upper_bound(cumulative_, prng_.fraction() * cumulative_.back());
  return static_cast<std::uint32_t>(
      std::min<std::ptrdiff_t>(found - cumulative_.begin(), kTermCount - 1));
}

TextWorkload::Counts TextWorkload::draw_document(std::size_t token_count) {
  std::vector<std::uint32_t> tokens;
  for (std::size_t i = 0; i < token_count; ++i) {
    const bool repeats = i > 0 && prng_.chance(options_.repeat_chance);
    tokens.push_back(repeats ? tokens[prng_.below(i)] : draw());
  }
  std::ranges::sort(tokens);
  Counts counts;
  for (const std::uint32_t token : tokens) {
    if (counts.frequencies.empty() || counts.frequencies.back().first != token) {
      counts.frequencies.emplace_back(token, 0);
    }
    counts.most = std::max(counts.most, ++counts.frequencies.back().second);
  }
  return counts;
}

WorkloadDocument TextWorkload::shares_of(const Counts& counts) const {
  WorkloadDocument document;
  for (const auto& [term, frequency] : counts.frequencies) {
    document.push_back(
        {term, static_cast<double>(frequency) / static_cast<double>(counts.most) * idf_[term]});
  }
  return document;
}

bool TextWorkload::is_eligible(std::uint32_t term) const {
  return document_counts_[term] >= 3 && document_counts_[term] <= options_.document_count / 10;
}

std::vector<WorkloadFilter> TextWorkload::filters(std::size_t count) {
  std::vector<WorkloadFilter> filters;
  std::vector<std::uint32_t> terms;
  while (filters.size() < count) {
    terms.clear();
    for (const auto& [term, share] : documents_[prng_.below(documents_.size())]) {
      if (is_eligible(term)) terms.push_back(term);
    }
    WorkloadFilter filter{};
    if (terms.size() < filter.terms.size()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < filter.terms.size(); ++i) {
      std::swap(terms[i], terms[i + prng_.below(terms.size() - i)]);
      filter.terms[i] = terms[i];
      sum += idf_[terms[i]];
    }
    filter.score_min = kThresholdShare * sum;
    filters.push_back(filter);
  }
  return filters;
}

std::vector<WorkloadDocument> TextWorkload::more_documents(std::size_t count,
                                                           std::size_t token_count) {
  std::vector<WorkloadDocument> documents;
  for (std::size_t i = 0; i < count; ++i) {
    documents.push_back(shares_of(draw_document(token_count)));
  }
  return documents;
}

std::vector<WorkloadDocument> TextWorkload::reversed_documents() const {
  std::vector<WorkloadDocument> reversed = documents_;
  for (WorkloadDocument& document : reversed) {
    for (DocumentTerm& term : document) {
      term.term = static_cast<std::uint32_t>(kTermCount - 1 - term.term);
    }
    std::ranges::reverse(document);
  }
  return reversed;
}

}  // namespace weir::match::text
