// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_workload_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weir::match::text {
namespace {

constexpr std::size_t kTermCount = 42'000;
constexpr double kStopWordCount = 50;
constexpr std::size_t kFilterTermCount = 3;

}  // namespace

TextWorkload::TextWorkload(const TextWorkloadOptions& options)
    : prng_(options.seed), repeat_chance_(options.repeat_chance) {
  double sum = 0;
  for (std::size_t i = 0; i < kTermCount; ++i) {
    sum += 1 / (static_cast<double>(i + 1) + kStopWordCount);
    cumulative_.push_back(sum);
    names_.push_back(fmt::format("term{}", i));
  }
  std::vector<WorkloadCounts> documents;
  for (std::size_t i = 0; i < options.document_count; ++i) {
    const std::size_t spread = options.token_count_max - options.token_count_min + 1;
    documents.push_back(draw_document(options.token_count_min + prng_.below(spread)));
  }
  weigh(documents);
}

TextWorkload::TextWorkload(const std::vector<WorkloadCounts>& documents,
                           std::vector<std::string> names)
    : prng_(1), names_(std::move(names)) {
  weigh(documents);
}

void TextWorkload::weigh(const std::vector<WorkloadCounts>& documents) {
  document_counts_.resize(term_count());
  for (const WorkloadCounts& document : documents) {
    for (const auto& [term, frequency] : document) ++document_counts_[term];
  }
  for (const std::uint32_t count : document_counts_) {
    const auto having = static_cast<double>(std::max(count, 1U));
    idf_.push_back(std::log(static_cast<double>(documents.size()) / having));
  }
  for (const WorkloadCounts& document : documents) documents_.push_back(shares_of(document));
}

std::uint32_t TextWorkload::draw() {
  const auto found = std::ranges::upper_bound(cumulative_, prng_.fraction() * cumulative_.back());
  return static_cast<std::uint32_t>(
      std::min<std::ptrdiff_t>(found - cumulative_.begin(), kTermCount - 1));
}

WorkloadCounts TextWorkload::draw_document(std::size_t token_count) {
  std::vector<std::uint32_t> tokens;
  for (std::size_t i = 0; i < token_count; ++i) {
    const bool repeats = i > 0 && prng_.chance(repeat_chance_);
    tokens.push_back(repeats ? tokens[prng_.below(i)] : draw());
  }
  std::ranges::sort(tokens);
  WorkloadCounts counts;
  for (const std::uint32_t token : tokens) {
    if (counts.empty() || counts.back().first != token) counts.emplace_back(token, 0);
    ++counts.back().second;
  }
  return counts;
}

WorkloadDocument TextWorkload::shares_of(const WorkloadCounts& counts) const {
  std::uint32_t most = 1;
  for (const auto& [term, frequency] : counts) most = std::max(most, frequency);
  WorkloadDocument document;
  for (const auto& [term, frequency] : counts) {
    document.push_back(
        {term, static_cast<double>(frequency) / static_cast<double>(most) * idf_[term]});
  }
  return document;
}

bool TextWorkload::is_eligible(std::uint32_t term) const {
  return document_counts_[term] >= 3 && document_counts_[term] <= documents_.size() / 10;
}

WorkloadFilters TextWorkload::filters(std::size_t count) {
  WorkloadFilters filters;
  std::vector<std::uint32_t> terms;
  while (filters.size() < count) {
    terms.clear();
    for (const auto& [term, share] : documents_[prng_.below(documents_.size())]) {
      if (is_eligible(term)) terms.push_back(term);
    }
    if (terms.size() < kFilterTermCount) continue;
    double sum = 0;
    for (std::size_t i = 0; i < kFilterTermCount; ++i) {
      std::swap(terms[i], terms[i + prng_.below(terms.size() - i)]);
      sum += idf_[terms[i]];
    }
    filters.add(std::span(terms).first(kFilterTermCount), kThresholdShare * sum);
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
      term.term = static_cast<std::uint32_t>(term_count() - 1 - term.term);
    }
    std::ranges::reverse(document);
  }
  return reversed;
}

}  // namespace weir::match::text
