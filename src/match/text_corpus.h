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
// before it is scored. What it is scored by is frozen for an epoch: N_e and n_t,e are N and n_t as
// they were when the epoch began, and a term that no document had then counts as n_t,e = 1. A new
// epoch begins with the document that ends the one before it, already counted in:
//
//   N - N_e >= N_e / 16, at least 1 and at most epoch_document_count_max, or
//   now - begin > epoch_time
//
// So the first 32 documents have an epoch each, and the first one of a corpus scores 0. That an
// epoch begins costs nothing: a term's count is frozen when it is first counted on in it.
//
//   d1 = storm coast, d2 = market, d3 = market rain, then d4 = storm flood flood is added:
//   N = 4, n_storm = 2, n_flood = 1, freq(storm) = 1, freq(flood) = maxfreq = 2, and the query
//   storm flood rescue scores 1/2 * ln(4/2) + 2/2 * ln(4/1) + 0 = 0.3466 + 1.3863 = 1.7329.
//
// Costs: one hash look-up per term; about 85 bytes per distinct term, more if it is long. Bounded
// in terms and in bytes, and by a memory account: a new term beyond that is not kept. Threads: one
// at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/instant.h"
#include "base/memory_account.h"
#include "base/result.h"
#include "match/corpus_counts.h"

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
  std::size_t term_count_max = 10'000'000;          // distinct terms kept
  std::size_t bytes_max = std::size_t{256} << 20U;  // of memory for them
  std::size_t waiting_count_max = 10'000;  // corpora restored for fields that nobody names yet
  std::uint64_t epoch_document_count_max = 10'000;            // in an epoch, at least 1
  base::Duration epoch_time = base::Duration::seconds(3600);  // after which one is over
};

// What documents are scored by.
struct TextEpoch {
  std::uint64_t number = 0;          // from 1; 0: there is no document yet
  std::uint64_t document_count = 0;  // N_e
  // Nothing: it was there before any document came; its time begins with the next one.
  std::optional<base::Instant> begin = std::nullopt;

  bool operator==(const TextEpoch&) const = default;
};

// How a corpus was saved.
enum class CorpusLayout : std::uint8_t {
  kRunning,  // without epochs: one begins with what was counted
  kEpochs,
};

class TextCorpus {
 public:
  explicit TextCorpus(TextCorpusOptions options = {}) : options_(options) {}
  // Begins with these counts, in epoch 1; terms beyond term_count_max are not kept.
  TextCorpus(TextCorpusOptions options, const CorpusCounts& counts);

  // Takes its memory from the account from now on, also what it has already.
  void draw_from(base::MemoryAccount::Ptr memory);

  // Counts a document in, also one without terms, and begins a new epoch if one is over. A new term
  // for which there is no room is not kept.
  void add(const TermCounts& document, base::Instant now);

  // ln(N_e / n_t,e), and 0 in an empty corpus. A term that was not kept counts as one that no
  // document had when the epoch began: it is taken for new, never lost.
  double idf(std::string_view term) const;
  const TextEpoch& epoch() const { return epoch_; }
  // The same corpus with no other terms than those of the documents: add() and idf() make of these
  // what they would here. Costs a look-up for each of them, however large the corpus is.
  TextCorpus excerpt(std::initializer_list<const TermCounts*> documents) const;

  // The counts, terms ascending: the same bytes for the same corpus. Costs a sorted copy of the
  // terms. Layout: docs/formats/checkpoint.md.
  void save(base::ByteWriter& writer) const;
  // Takes what save() wrote. Malformed bytes fail the reader, more than term_count_max terms the
  // result. Requires an empty corpus; after a failure it is of no use.
  base::Result<void> restore(CorpusLayout layout, base::ByteReader& reader);

  // N and n_t. Costs a sorted copy of the terms.
  CorpusCounts counts(std::string language) const;

  std::uint64_t document_count() const { return document_count_; }  // N
  std::size_t term_count() const { return terms_.size(); }
  std::size_t memory_bytes() const { return memory_.bytes(); }
  const base::MemoryAccount::Ptr& memory() const { return memory_.account(); }
  // How often a term of an added document was not kept, the same term in two documents twice.
  std::uint64_t overflow_count() const { return overflow_count_; }

 private:
  struct Term {
    std::uint64_t document_count = 0;  // n_t
    std::uint64_t frozen_count = 0;    // n_t,e of the epoch it was last counted in
    std::uint64_t frozen_epoch = 0;    // that epoch; in a later one n_t has not moved since
  };

  using SortedTerms = std::vector<std::pair<std::string_view, Term>>;

  // Ascending; views into the corpus.
  SortedTerms sorted_terms() const;
  std::uint64_t frozen_count(const Term& term) const {
    return term.frozen_epoch == epoch_.number ? term.frozen_count : term.document_count;
  }
  void count(Term& term) const;
  bool is_epoch_over(base::Instant now) const;
  void restore_epoch(base::ByteReader& reader);
  Term read_term(CorpusLayout layout, base::ByteReader& reader) const;

  static std::size_t term_bytes(std::string_view term);
  bool take_room(std::string_view term);

  TextCorpusOptions options_;
  base::MemoryCharge memory_;
  std::uint64_t document_count_ = 0;
  std::uint64_t overflow_count_ = 0;
  TextEpoch epoch_;
  boost::unordered_flat_map<std::string, Term, base::StringHash, std::equal_to<>> terms_;
};

// score(t, d) of a term that occurs so often in the document.
double share(std::size_t frequency, const TermCounts& document, double idf);

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
