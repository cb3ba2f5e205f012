// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a chunk whose thresholds a document can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "match/text/document_shares.h"
#include "match/text/posting_lists.h"

namespace weir::match::text {

// A filter that may match, and the term through which it was found.
struct Candidate {
  RecordRef record;
  TermId term;
};

// Rows to read: those of the chunk with a threshold of at most `reach`.
struct ChunkScan {
  const PostingLists::Chunk* chunk;
  DocumentTerm term;  // whose chunk it is
  double reach;
  std::uint32_t row_count = 0;  // of rows that were read
};

// Those behind the first few, of a chunk that is read soon.
void prefetch_rows(const ChunkScan& scan);
// Appends the filters that their rows' own terms do not rule out.
void scan_rows(ChunkScan& scan, const DocumentShares& shares, std::vector<Candidate>& candidates);

}  // namespace weir::match::text
