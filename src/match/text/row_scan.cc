// SPDX-License-Identifier: Apache-2.0
#include "match/text/row_scan.h"

#include <bit>
#include <cstdint>
#include <span>

namespace weir::match::text {
namespace {

struct Scan {
  const DocumentTerm& term;
  float reach;
  const DocumentShares& shares;
  std::vector<Candidate>& candidates;
};

// Reads rows of so many terms behind until one cannot be reached.
template <std::size_t LaterCount, typename MayMatch>
std::size_t read_rows(std::span<const std::uint32_t> words, const Scan& scan,
                      const MayMatch& may_match) {
  constexpr std::size_t kWidth = 2 + LaterCount;
  const std::uint32_t* row = words.data();
  const std::uint32_t* const end = row + words.size();
  for (; row != end; row += kWidth) {
    const auto score_min = std::bit_cast<float>(row[0]);
    if (score_min > scan.reach) break;
    if (may_match(score_min, row + 2)) scan.candidates.push_back({row[1], scan.term.term});
  }
  return static_cast<std::size_t>(row - words.data()) / kWidth;
}

template <std::size_t LaterCount>
std::size_t scan_any(std::span<const std::uint32_t> words, const Scan& scan) {
  return read_rows<LaterCount>(words, scan, [&](float score_min, const std::uint32_t* later) {
    double sum = scan.term.share;
    for (std::size_t i = 0; i < LaterCount; ++i) sum += scan.shares[later[i]];
    return sum * TopShares::kMargin >= static_cast<double>(score_min);
  });
}

template <std::size_t LaterCount>
std::size_t scan_all(std::span<const std::uint32_t> words, const Scan& scan) {
  return read_rows<LaterCount>(words, scan, [&](float, const std::uint32_t* later) {
    for (std::size_t i = 0; i < LaterCount; ++i) {
      if (!scan.shares.has(later[i])) return false;
    }
    return true;
  });
}

template <std::size_t LaterCount>
std::size_t scan_inline(TextMode mode, std::span<const std::uint32_t> words, const Scan& scan) {
  return mode == TextMode::kAll ? scan_all<LaterCount>(words, scan)
                                : scan_any<LaterCount>(words, scan);
}

std::size_t scan_long(std::span<const std::uint32_t> words, const Scan& scan) {
  return read_rows<0>(words, scan, [](float, const std::uint32_t*) { return true; });
}

}  // namespace

std::size_t scan_rows(const PostingLists::Chunk& chunk, const DocumentTerm& term, float reach,
                      const DocumentShares& shares, std::vector<Candidate>& candidates) {
  const Scan scan{term, reach, shares, candidates};
  const RowKind kind = chunk.kind();
  const std::span<const std::uint32_t> words = chunk.words();
  if (!kind.is_inline()) return scan_long(words, scan);
  static_assert(RowKind::kInlineCount == 8);
  switch (kind.later_count_max()) {
    case 0:
      return scan_inline<0>(kind.mode(), words, scan);
    case 1:
      return scan_inline<1>(kind.mode(), words, scan);
    case 2:
      return scan_inline<2>(kind.mode(), words, scan);
    case 3:
      return scan_inline<3>(kind.mode(), words, scan);
    case 4:
      return scan_inline<4>(kind.mode(), words, scan);
    case 5:
      return scan_inline<5>(kind.mode(), words, scan);
    case 6:
      return scan_inline<6>(kind.mode(), words, scan);
    default:
      return scan_inline<7>(kind.mode(), words, scan);
  }
}

}  // namespace weir::match::text
