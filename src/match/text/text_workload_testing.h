// SPDX-License-Identifier: Apache-2.0
// The workload of text filters: generated documents, and filters made of their terms.
//
// Tokens are drawn from a vocabulary of 42 000 terms with Zipf's frequencies, 1 / (rank + 50): the
// fifty most frequent are the stop words, which no document has. With some chance a token repeats
// an earlier one of its document, so that, as in real text, what a document is about comes several
// times. A filter has three terms of one document that are in at least 3 documents and in at most
// 10 % of them, and asks for 0.7 of the sum of their idf.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

// Terms are numbers from 0 to kTermCount - 1.
using WorkloadDocument = std::vector<DocumentTerm>;  // ascending by term

struct WorkloadFilter {
  std::array<std::uint32_t, 3> terms;
  double score_min;
};

class TextWorkload {
 public:
  static constexpr std::size_t kTermCount = 42'000;
  static constexpr double kThresholdShare = 0.7;

  explicit TextWorkload(const TextWorkloadOptions& options);

  std::vector<WorkloadFilter> filters(std::size_t count);
  const std::vector<WorkloadDocument>& documents() const { return documents_; }
  // Documents of other lengths, with the same idf.
  std::vector<WorkloadDocument> more_documents(std::size_t count, std::size_t token_count);
  // The same with the order of terms reversed, the most common for the rarest, and their own idf.
  std::vector<WorkloadDocument> reversed_documents() const;
  // What the index calls a term.
  const std::string& name(std::uint32_t term) const { return names_[term]; }

 private:
  struct Counts {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> frequencies;  // ascending by term
    std::uint32_t most = 0;
  };

  std::uint32_t draw();
  Counts draw_document(std::size_t token_count);
  WorkloadDocument shares_of(const Counts& counts) const;
  bool is_eligible(std::uint32_t term) const;

  TextWorkloadOptions options_;
  base::Prng prng_;
  std::vector<double> cumulative_;  // of the terms' frequencies
  std::vector<std::string> names_;
  std::vector<std::uint32_t> document_counts_;  // by term
  std::vector<double> idf_;                     // by term
  std::vector<Counts> counts_;
  std::vector<WorkloadDocument> documents_;
};

}  // namespace weir::match::text
