// SPDX-License-Identifier: Apache-2.0
// The files of the setting text.corpus.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/failure.h"
#include "match/corpus_counts.h"

namespace weir::cli {

inline constexpr std::size_t kCorpusFileBytesMax = std::size_t{1} << 30U;

// Fails if one cannot be read or is no such file, and if two are of one language.
Attempt<std::vector<std::shared_ptr<const match::CorpusCounts>>> read_corpora(
    const std::vector<std::string>& paths);

}  // namespace weir::cli
