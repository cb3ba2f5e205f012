// SPDX-License-Identifier: Apache-2.0
// Figures 7 and 8.
#include <algorithm>

#include "003/figures.h"
#include "003/forwarding.h"
#include "shared/csv_file.h"

namespace weir::lab {
namespace {

// Documents of a corpus whose matches are looked at, evenly spread.
constexpr std::size_t kMatchedDocumentsMax = 300;

double over(std::size_t count, std::size_t of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

// By threshold, by forwarding.
using Counts = std::vector<std::vector<std::size_t>>;
Counts no_counts(std::size_t column_count) {
  return Counts(kThresholds.size(), std::vector<std::size_t>(column_count));
}

// How many threshold terms the document has.
Counts threshold_term_counts(std::span<const match::ScoredTerm> terms,
                             const std::vector<Forwarding>& ways) {
  Counts counts = no_counts(ways.size());
  for (std::size_t t = 0; t < kThresholds.size(); ++t) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      counts[t][w] = match::threshold_term_count(terms, ways[w].at(kThresholds[t]));
    }
  }
  return counts;
}

void write_corpus(const Documents& documents, CsvFile& csv) {
  const std::vector<Forwarding> ways = forwardings();
  Counts sums = no_counts(ways.size());
  std::size_t total = 0;
  for (const match::TermCounts& document : documents.documents) {
    const auto terms = match::scored_terms(document, documents.corpus);
    const Counts counts = threshold_term_counts(terms, ways);
    total += terms.size();
    for (std::size_t t = 0; t < kThresholds.size(); ++t) {
      for (std::size_t w = 0; w < ways.size(); ++w) sums[t][w] += counts[t][w];
    }
  }
  for (std::size_t t = 0; t < kThresholds.size(); ++t) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      csv.row(documents.name, kThresholds[t], ways[w].rule, ways[w].length,
              over(sums[t][w], documents.documents.size()), 1.0 - over(sums[t][w], total));
    }
  }
}

// Matches of a log's filters in a corpus, and which of them each way of forwarding dismisses.
class Dismissals {
 public:
  Dismissals(const QueryLog& log, const Documents& documents)
      : log_(&log), documents_(&documents), index_(log) {}

  void count() {
    const std::size_t size = documents_->documents.size();
    const std::size_t step = (size + kMatchedDocumentsMax - 1) / kMatchedDocumentsMax;
    for (std::size_t i = 0; i < size; i += step) count_document(documents_->documents[i]);
  }

  void write(CsvFile& csv) const {
    if (matches_[0][0] == 0) return;
    for (std::size_t t = 0; t < kThresholds.size(); ++t) {
      for (std::size_t w = 0; w < ways_.size(); ++w) {
        csv.row(documents_->name, log_->name, kThresholds[t], ways_[w].rule, ways_[w].length,
                matches_[t][w], dismissed_[t][w], expected_matches_[t][w],
                expected_dismissed_[t][w]);
      }
    }
  }

 private:
  void count_document(const match::TermCounts& document) {
    const auto terms = match::scored_terms(document, documents_->corpus);
    const Counts counts = threshold_term_counts(terms, ways_);
    for (const Candidate& candidate : index_.candidates(terms)) {
      for (std::size_t t = 0; t < kThresholds.size() && candidate.score >= kThresholds[t]; ++t) {
        count_match(candidate, t, counts[t]);
      }
    }
  }

  void count_match(const Candidate& candidate, std::size_t t,
                   const std::vector<std::size_t>& threshold_terms) {
    const std::size_t length = log_->filters[candidate.filter].size();
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      const std::size_t missed = candidate.first >= threshold_terms[w] ? 1U : 0U;
      const bool is_expected = ways_[w].length == 0 || length <= ways_[w].length;
      ++matches_[t][w];
      dismissed_[t][w] += missed;
      if (!is_expected) continue;
      ++expected_matches_[t][w];
      expected_dismissed_[t][w] += missed;
    }
  }

  const QueryLog* log_;
  const Documents* documents_;
  FilterIndex index_;
  std::vector<Forwarding> ways_ = forwardings();
  Counts matches_ = no_counts(ways_.size());
  Counts dismissed_ = no_counts(ways_.size());
  Counts expected_matches_ = no_counts(ways_.size());  // of filters that are not too long
  Counts expected_dismissed_ = no_counts(ways_.size());
};

}  // namespace

bool write_savings(const Lab& lab) {
  CsvFile csv(lab.directory, "savings", "corpus,threshold,rule,length,terms,saving");
  for (const Documents& documents : lab.corpora) write_corpus(documents, csv);
  return csv.ok();
}

bool write_dismissals(const Lab& lab) {
  CsvFile csv(lab.directory, "dismissals",
              "corpus,log,threshold,rule,length,matches,dismissed,expected_matches,"
              "expected_dismissed");
  for (const Documents& documents : lab.corpora) {
    for (const QueryLog& log : lab.logs) {
      Dismissals dismissals(log, documents);
      dismissals.count();
      dismissals.write(csv);
    }
  }
  return csv.ok();
}

}  // namespace weir::lab
