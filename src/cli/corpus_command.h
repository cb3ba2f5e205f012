// SPDX-License-Identifier: Apache-2.0
// weir corpus: counts in how many documents each term is, for statistics to begin with.
#pragma once

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

// Gives the exit code.
int run_corpus(const CorpusOptions& options, Streams& streams);

}  // namespace weir::cli
