// SPDX-License-Identifier: Apache-2.0
// weir analyze: the words of a text as filters see them.
//
//      0 3        the                      stop word
//      4 10       storms                   storm
//   2 words, 1 term, 1 distinct
//
// First is where a word begins and ends in the text, in bytes. With --json one object:
//
//   {"language":"english","words":[{"begin":0,"end":3,"word":"the","term":null},...],
//    "word_count":2,"term_count":1,"distinct_term_count":1}
#pragma once

#include <cstddef>

#include "cli/options.h"
#include "cli/output.h"

namespace weir::cli {

inline constexpr std::size_t kAnalyzeBytesMax = std::size_t{64} << 20U;

// Gives the exit code.
int run_analyze(const AnalyzeOptions& options, Streams& streams);

}  // namespace weir::cli
