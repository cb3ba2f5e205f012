// SPDX-License-Identifier: Apache-2.0
// What benchmarks of text filters have in common: the index and the baseline on the same filters
// and documents, measured and compared.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "match/text/text_baseline_testing.h"
#include "match/text/text_index.h"

namespace weir::match::text {

using Documents = std::vector<std::vector<DocumentTerm>>;

// Of all hits in documents, whatever their order; depends on every bit of the scores.
struct TextRun {
  double seconds_per_document = 0;
  std::size_t hit_count = 0;
  std::uint64_t checksum = 0;
};

// Terms are by whatever numbers `match` knows.
TextRun run_documents(
    std::span<const std::vector<DocumentTerm>> documents,
    const std::function<void(std::span<const DocumentTerm>, std::vector<TextHit>&)>& match);
TextRun run_index(TextIndex& index, std::span<const std::vector<DocumentTerm>> documents);
TextRun run_baseline(TermAtATime& baseline, std::span<const std::vector<DocumentTerm>> documents);

// Documents by the index's numbers, without the terms that it does not know.
Documents known_documents(const TextIndex& index,
                          std::span<const std::vector<DocumentTerm>> documents,
                          const std::function<std::string_view(std::uint32_t)>& name);

}  // namespace weir::match::text
