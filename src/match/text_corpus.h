// SPDX-License-Identifier: Apache-2.0
// TextCorpus: how rare terms are among the documents published so far, and the score made of it.
//
//   score(t, d) = freq(t, d) / maxfreq(d) * ln(N / n_t)
//
// N is the number of documents, n_t of those that have term t, freq(t, d) how often t occurs in d
// and maxfreq(d) the largest frequency of any term in d. A query matches a document if the sum
// over its distinct terms is at least its threshold T (paper: STAIRS, section I.A).
//
// Where we are more precise than the paper: N and n_t run with the stream, and a document is added
// before it is scored. So n_t >= 1 for its terms, and the first document of a corpus scores 0.
//
//   d1 = storm coast, d2 = market, d3 = market rain, then d4 = storm flood flood is added:
//   N = 4, n_storm = 2, n_flood = 1, freq(storm) = 1, freq(flood) = maxfreq = 2, and the query
//   storm flood rescue scores 1/2 * ln(4/2) + 2/2 * ln(4/1) + 0 = 0.3466 + 1.3863 = 1.7329.
//
// Costs: one hash look-up per term; about 64 bytes per distinct term, more if it is long.
// Threads: one at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/result.h"

namespace weir::match {

struct TermCount {
  std::string term;
  std::size_t frequency = 0;  // freq(t, d)

  bool operator==(const TermCount&) const = default;
};

// The terms of one document.
struct TermCounts {
  std::vector<TermCount> counts;  // ascending by term, each once
  std::size_t frequency_max = 0;  // maxfreq(d); 0 for a document without terms

  // 0 for a term that the document does not have.
  std::size_t frequency(std::string_view term) const;

  bool operator==(const TermCounts&) const = default;
};

TermCounts count_terms(std::vector<std::string> terms);

struct TextCorpusOptions {
  std::size_t term_count_max = 10'000'000;  // distinct terms kept
  std::size_t waiting_count_max = 10'000;   // corpora restored for fields that nobody names yet
};

class TextCorpus {
 public:
  explicit TextCorpus(TextCorpusOptions options = {}) : options_(options) {}

  // Counts a document in, also one without terms. A new term beyond term_count_max is not kept.
  void add(const TermCounts& document);

  // ln(N / n_t), and 0 for a term that no document has. Once terms were not kept, a term that is
  // not there counts as n_t = 1: a term of the document at hand is taken for new, never lost.
  double idf(std::string_view term) const;

  // The counts, terms ascending: the same bytes for the same corpus. Costs a sorted copy of the
  // terms. Layout: docs/formats/checkpoint.md.
  void save(base::ByteWriter& writer) const;
  // Takes what save() wrote. Malformed bytes fail the reader, more than term_count_max terms the
  // result. Requires an empty corpus; after a failure it is of no use.
  base::Result<void> restore(base::ByteReader& reader);

  std::uint64_t document_count() const { return document_count_; }  // N
  std::size_t term_count() const { return document_counts_.size(); }
  // How often a term of an added document was not kept, the same term in two documents twice.
  std::uint64_t overflow_count() const { return overflow_count_; }

 private:
  TextCorpusOptions options_;
  std::uint64_t document_count_ = 0;
  std::uint64_t overflow_count_ = 0;
  boost::unordered_flat_map<std::string, std::uint64_t, base::StringHash, std::equal_to<>>
      document_counts_;  // n_t
};

struct TextScore {
  double total = 0.0;
  // score(t, d) of the query's terms that the document has, in the query's order: why it matched.
  std::vector<std::pair<std::string, double>> shares;

  bool operator==(const TextScore&) const = default;
};

// The definition; `document` has been added to `corpus`. The total is the sum of the shares from
// first to last, so that it is the same to the last bit wherever it is computed like this.
TextScore score(std::span<const std::string> query_terms, const TermCounts& document,
                const TextCorpus& corpus);

}  // namespace weir::match
