// SPDX-License-Identifier: Apache-2.0
// TextPlacement: under which terms filters are looked for, and which of them a document may match.
//
// All terms have one order here, from rare to common, as they were when the placement first met
// them. A filter is found through the first of its terms in that order that the document has. If
// that is t, and k of its terms come behind t, its score is at most the share of t and the k
// largest shares of the document's terms that are not before t:
//
//   document   terms in order   storm 2.1   flood 3.0   market 0.4   rain 0.7
//   filter     flood rain, T = 4: behind flood comes one; 3.0 + 0.7 < 4: not even looked at
//
// So a kAny filter has a row under each of its terms, with T and k, and a document reads the rows
// with a T that can be reached, added up from the shares that the document has today: whatever idf
// has become, nothing is missed, and an order that is out of date costs time only. Where the row
// holds the k terms, they are added up before anybody looks at the filter. A kAll filter has one
// row, under its first term.
//
// (Paper 003's threshold terms, turned round: there a document chooses the terms under which it is
// sent, here a filter's row chooses the documents.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "match/text/document_shares.h"
#include "match/text/filter_table.h"
#include "match/text/posting_lists.h"
#include "match/text/row_scan.h"
#include "match/text/term_frequencies.h"
#include "match/text/term_table.h"
#include "match/text/top_shares.h"

namespace weir::match::text {

// What a placement works on, and other placements too.
struct PlacementContext {
  const TermTable& terms;
  const TermFrequencies& frequencies;
  FilterTable& filters;
};

class TextPlacement {
 public:
  // Filters that stand here are marked as of that side, 0 or 1.
  TextPlacement(const PlacementContext& context, unsigned side) : context_(context), side_(side) {}

  // Requires a record that stands nowhere.
  void add(RecordRef record);
  void add_all(std::span<const RecordRef> records);
  // Requires a record that stands here.
  void remove(RecordRef record);
  // Of a term that no filter has any more.
  void forget(TermId term);

  // Appends every filter that the document matches, and others, perhaps more than once. `shares`
  // are the document's.
  void find(std::span<const DocumentTerm> document, const DocumentShares& shares,
            std::vector<Candidate>& candidates);
  // How many rows were read for it, and the record of one of them. Until rows come or go.
  std::size_t read_count() const { return read_count_; }
  RecordRef row_read(std::size_t index) const;

  bool comes_before(TermId left, TermId right) const {
    return levels_[left] != levels_[right] ? levels_[left] < levels_[right] : left < right;
  }
  // The first of the record's terms.
  TermId first_term(RecordRef record) const;

  unsigned side() const { return side_; }
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint8_t kNoLevel = 0xff;
  static constexpr std::size_t kLevelCount = 128;
  // A term of the document with rows in reach, and what it can reach.
  struct OpenTerm {
    DocumentTerm term;
    std::uint32_t top;  // in tops_
  };

  std::uint8_t level_of(TermId term) const;
  void meet(std::span<const TermId> terms);
  // Into ordered_; how many of them have a row.
  std::size_t order(RecordRef record);
  PostingLists::Row row_at(RecordRef record, std::size_t rank) const;
  RowKind kind_at(RecordRef record, std::size_t rank) const;
  void write_rows(TermId term, std::span<const std::uint32_t> words);
  void sort_by_level(std::span<const DocumentTerm> document);
  void open_terms();
  void open_chunks();

  PlacementContext context_;
  unsigned side_;
  std::size_t size_ = 0;
  PostingLists lists_;
  std::vector<std::uint8_t> levels_;  // by term; rare ones low
  std::vector<TermId> ordered_;       // the terms of the record at hand

  // Of the document at hand.
  std::array<std::uint32_t, kLevelCount + 1> level_begins_{};
  std::vector<DocumentTerm> sorted_;  // by level
  std::vector<TopShares> tops_;       // as they were when terms were opened
  std::vector<OpenTerm> open_;
  std::vector<ChunkScan> scans_;
  std::size_t read_count_ = 0;
};

}  // namespace weir::match::text
