// SPDX-License-Identifier: Apache-2.0
// The workload of text filters: generated documents, and filters made of their terms.
//
// Tokens are drawn from a vocabulary of 42 000 terms with Zipf's frequencies, 1 / (rank + 50): the
// fifty most frequent are the stop words, which no document has. With some chance a token repeats
// an earlier one of its document, so that, as in real text, what a document is about comes several
// times. A filter has three terms of one document that are in at least 3 documents and in at most
// 10 % of them, and asks for 0.7 of the sum of their idf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "match/text/text_filter.h"

namespace weir::match::text {

struct TextWorkloadOptions {
  std::uint64_t seed = 1;
  std::size_t document_count = 20'000;
  std::size_t token_count_min = 45;
  std::size_t token_count_max = 135;
  double repeat_chance = 0.2;
};

// Terms are numbers from 0.
using WorkloadDocument = std::vector<DocumentTerm>;  // ascending by term

// How often terms come in a document, ascending by term.
using WorkloadCounts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class WorkloadFilters {
 public:
  void add(std::span<const std::uint32_t> terms, double score_min) {
    terms_.insert(terms_.end(), terms.begin(), terms.end());
    filters_.push_back({terms_.size() - terms.size(), terms.size(), score_min});
  }

  std::size_t size() const { return filters_.size(); }
  std::span<const std::uint32_t> terms(std::size_t index) const {
    return std::span(terms_).subspan(filters_[index].begin, filters_[index].count);
  }
  double score_min(std::size_t index) const { return filters_[index].score_min; }

 private:
  struct Filter {
    std::size_t begin;
    std::size_t count;
    double score_min;
  };

  std::vector<std::uint32_t> terms_;
  std::vector<Filter> filters_;
};

class TextWorkload {
 public:
  static constexpr double kThresholdShare = 0.7;

  // Generated documents.
  explicit TextWorkload(const TextWorkloadOptions& options);
  // Real ones, and the names of their terms.
  TextWorkload(const std::vector<WorkloadCounts>& documents, std::vector<std::string> names);

  WorkloadFilters filters(std::size_t count);
  const std::vector<WorkloadDocument>& documents() const { return documents_; }
  // Generated documents of another length, with the same idf.
  std::vector<WorkloadDocument> more_documents(std::size_t count, std::size_t token_count);
  // The same with the order of terms reversed, the most common for the rarest, and their own idf.
  std::vector<WorkloadDocument> reversed_documents() const;
  std::size_t term_count() const { return names_.size(); }
  double idf(std::uint32_t term) const { return idf_[term]; }
  // What the index calls a term.
  const std::string& name(std::uint32_t term) const { return names_[term]; }

 private:
  std::uint32_t draw();
  WorkloadCounts draw_document(std::size_t token_count);
  void weigh(const std::vector<WorkloadCounts>& documents);
  WorkloadDocument shares_of(const WorkloadCounts& counts) const;
  bool is_eligible(std::uint32_t term) const;

  base::Prng prng_;
  double repeat_chance_ = 0;
  std::vector<double> cumulative_;  // of the terms' frequencies
  std::vector<std::string> names_;
  std::vector<std::uint32_t> document_counts_;  // by term
  std::vector<double> idf_;                     // by term
  std::vector<WorkloadDocument> documents_;
};

}  // namespace weir::match::text
