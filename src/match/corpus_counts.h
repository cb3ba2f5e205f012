// SPDX-License-Identifier: Apache-2.0
// CorpusCounts: in how many documents terms are, with which new corpora of a language begin.
//
// As text, lines in UTF-8:
//
//   weir-corpus 1 english 4        format, version, language, documents
//   flood 1                        term, documents that have it; terms ascend by their bytes
//   storm 2
//
// What stands in a line before its last blank is the term: some have blanks themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weir::match {

struct CorpusCounts {
  std::string language;  // a name of TextAnalyzer::languages()
  std::uint64_t document_count = 0;
  // Ascending; of each at least one document has it.
  std::vector<std::pair<std::string, std::uint64_t>> terms;

  bool operator==(const CorpusCounts&) const = default;
};

// The text that parse_corpus_counts() reads.
std::string to_text(const CorpusCounts& counts);

// Fails with kEngineCorpus, the line and what was expected there.
base::Result<CorpusCounts> parse_corpus_counts(std::string_view text);

}  // namespace weir::match
