// SPDX-License-Identifier: Apache-2.0
// TextIndex: up to millions of text filters with score thresholds, and which of them a document
// matches.
//
// Exact: verdict and score of a filter are what its definition (text_filter.h) gives with the
// shares that the document came with, to the last bit, whatever shares earlier documents had. A
// filter that was added is seen by the next document, one that was removed no more. Equal filters
// are kept once. Terms that no filter uses are unknown here: a document leaves them out.
//
// A document costs what its terms and the rows with a threshold in reach cost (text_placement.h),
// adding and removing a few microseconds; a three-term filter about 90 bytes. Which terms are rare
// is measured on the stream. When another order of terms would spare much, a new placement is begun
// and filters move there, a few with every document: nothing stops. Single-threaded.
//
//   TextIndex index;
//   index.add({.member = 7, .terms = terms, .score_min = 1.2});
//   document.push_back({index.terms().find("storm"), share});  // if it is there
//   index.match(document, hits);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/prng.h"
#include "match/text/document_shares.h"
#include "match/text/filter_table.h"
#include "match/text/term_frequencies.h"
#include "match/text/term_table.h"
#include "match/text/text_filter.h"
#include "match/text/text_placement.h"

namespace weir::match::text {

struct TextIndexOptions {
  // One of so many documents is counted to know which terms are rare.
  std::uint64_t documents_per_count = 4;
};

struct TextCounters {
  std::uint64_t documents = 0;
  std::uint64_t scanned = 0;     // rows read
  std::uint64_t verified = 0;    // filters added up by definition
  std::uint64_t matched = 0;     // members
  std::uint64_t placements = 0;  // begun since the first
  std::uint64_t moves = 0;       // filters moved from one to the next
};

class TextIndex {
 public:
  explicit TextIndex(const TextIndexOptions& options = {});
  TextIndex(const TextIndex&) = delete;
  TextIndex& operator=(const TextIndex&) = delete;

  // Requires a member that is not there.
  void add(const TextFilter& filter);
  // The same for many, which is faster.
  void add_all(std::span<const TextFilter> filters);
  // Requires a member that is there.
  void remove(MemberId member);
  void update(const TextFilter& filter);

  // Appends the members that match, in any order, each once. The document's terms are distinct and
  // from terms().
  void match(std::span<const DocumentTerm> document, std::vector<TextHit>& hits);

  const TermTable& terms() const { return terms_; }
  const FilterTable& filters() const { return filters_; }
  const TextCounters& counters() const { return counters_; }
  std::size_t size() const { return filters_.member_count(); }
  // With the terms' table.
  std::size_t memory_bytes() const;

 private:
  // The new record, or kNoId if there was such a filter.
  RecordRef intern(const TextFilter& filter);
  void find(TextPlacement& placement, std::span<const DocumentTerm> document,
            std::vector<TextHit>& hits);
  void verify(const TextPlacement& placement, const Candidate& candidate,
              std::vector<TextHit>& hits);
  void observe(std::span<const DocumentTerm> document);
  void adapt();
  bool is_worth_moving();
  void begin_moving();
  void move_some();
  TextPlacement& placement_of(RecordRef record);

  TextIndexOptions options_;
  TermTable terms_;
  TermFrequencies frequencies_;
  FilterTable filters_;
  // Where filters are placed now, and those that were placed before and are to move.
  std::unique_ptr<TextPlacement> placement_;
  std::unique_ptr<TextPlacement> old_;
  std::size_t move_slot_ = 0;

  DocumentShares shares_;
  std::vector<Candidate> candidates_;
  std::vector<TermId> ids_;  // of the filter at hand
  base::Prng prng_{0};
  double ratio_sum_ = 0;
  std::size_t ratio_count_ = 0;
  bool has_moved_ = false;  // and what that left is not known yet
  double left_by_move_ = 1;
  TextCounters counters_;
};

}  // namespace weir::match::text
