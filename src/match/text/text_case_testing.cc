// SPDX-License-Identifier: Apache-2.0
#include "match/text/text_case_testing.h"

#include "base/cpu_time_testing.h"

namespace weir::match::text {
namespace {

std::uint64_t mix(std::uint64_t document, const TextHit& hit) {
  std::uint64_t z = (document * 1'000'003 + hit.member + 1) * 0x9E3779B97F4A7C15U;
  z ^= std::bit_cast<std::uint64_t>(hit.score);
  z = (z ^ (z >> 29U)) * 0xBF58476D1CE4E5B9U;
  return z ^ (z >> 32U);
}

}  // namespace

TextRun run_documents(
    std::span<const std::vector<DocumentTerm>> documents,
    const std::function<void(std::span<const DocumentTerm>, std::vector<TextHit>&)>& match) {
  TextRun run;
  std::vector<TextHit> hits;
  std::vector<std::size_t> ends;
  const double seconds = base::seconds_of([&] {
    for (const std::vector<DocumentTerm>& document : documents) {
      match(document, hits);
      ends.push_back(hits.size());
    }
  });
  run.seconds_per_document = seconds / static_cast<double>(documents.size());
  run.hit_count = hits.size();
  std::size_t at = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (; at < ends[i]; ++at) run.checksum += mix(i, hits[at]);
  }
  return run;
}

TextRun run_index(TextIndex& index, std::span<const std::vector<DocumentTerm>> documents) {
  return run_documents(documents, [&](auto document, auto& hits) { index.match(document, hits); });
}

TextRun run_baseline(TermAtATime& baseline, std::span<const std::vector<DocumentTerm>> documents) {
  return run_documents(documents,
                       [&](auto document, auto& hits) { baseline.match(document, hits); });
}

Documents known_documents(const TextIndex& index,
                          std::span<const std::vector<DocumentTerm>> documents,
                          const std::function<std::string_view(std::uint32_t)>& name) {
  Documents known;
  for (const std::vector<DocumentTerm>& document : documents) {
    std::vector<DocumentTerm>& terms = known.emplace_back();
    for (const auto& [term, share] : document) {
      const TermId id = index.terms().find(name(term));
      if (id != kNoId) terms.push_back({id, share});
    }
  }
  return known;
}

}  // namespace weir::match::text
