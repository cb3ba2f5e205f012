// SPDX-License-Identifier: Apache-2.0
// The tables and figures of paper 003 that need no network. Each function writes its CSV and
// returns whether it could.
#pragma once

#include <string>
#include <vector>

#include "003/workload.h"

namespace weir::lab {

struct Lab {
  std::string directory;  // where the CSV go
  std::vector<QueryLog> logs = {};
  std::vector<Documents> corpora = {};
};

// Table I: queries.csv; figure 5: lengths.csv.
bool write_queries(const Lab& lab);
bool write_lengths(const Lab& lab);
// Table II: documents.csv; in how many documents terms are, by rank: frequencies.csv.
bool write_documents(const Lab& lab);
bool write_frequencies(const Lab& lab);
// Figure 6: the scores of four documents' terms, scores.csv; how much of all documents' scores
// their highest-scored terms have, skew.csv.
bool write_scores(const Lab& lab);
bool write_skew(const Lab& lab);
// Figure 7: how many of a document's terms it is not forwarded by: savings.csv.
bool write_savings(const Lab& lab);
// Figure 8: matches that are dismissed if filters are longer than expected: dismissals.csv. Logs
// and documents without a common term are left out.
bool write_dismissals(const Lab& lab);

}  // namespace weir::lab
