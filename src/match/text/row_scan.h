// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a chunk whose thresholds a document can reach.
#pragma once

#include <cstddef>
#include <vector>

#include "match/text/document_shares.h"
#include "match/text/posting_lists.h"
#include "match/text/text_placement.h"

namespace weir::match::text {

// Appends those of the rows with a threshold of at most `reach` that their own terms do not rule
// out, and gives the number of rows read.
std::size_t scan_rows(const PostingLists::Chunk& chunk, const DocumentTerm& term, float reach,
                      const DocumentShares& shares, std::vector<Candidate>& candidates);

}  // namespace weir::match::text
