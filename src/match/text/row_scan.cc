// SPDX-License-Identifier: Apache-2.0
#include "match/text/row_scan.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "match/text/top_shares.h"

namespace weir::match::text {
namespace {

struct Scan {
  DocumentTerm term;
  double reach;
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
    const auto score_min = static_cast<double>(std::bit_cast<float>(row[0]));
    if (score_min > scan.reach) break;
    if (may_match(score_min, row + 2)) scan.candidates.push_back({row[1], scan.term.term});
  }
  return static_cast<std::size_t>(row - words.data()) / kWidth;
}

template <std::size_t LaterCount>
std::size_t scan_any(std::span<const std::uint32_t> words, const Scan& scan) {
  return read_rows<LaterCount>(words, scan, [&](double score_min, const std::uint32_t* later) {
    double sum = scan.term.share;
    for (std::size_t i = 0; i < LaterCount; ++i) sum += scan.shares[later[i]];
    return sum * TopShares::kMargin >= score_min;
  });
}

// How many rows can be reached; thresholds ascend.
template <std::size_t Width>
std::size_t count_reached(std::span<const std::uint32_t> words, double reach) {
  const auto is_reached = [&](std::size_t row) {
    return static_cast<double>(std::bit_cast<float>(words[row * Width])) <= reach;
  };
  std::size_t low = 0;
  std::size_t high = words.size() / Width;
  if (high > 0 && is_reached(high - 1)) return high;  // as where there are no thresholds
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    (is_reached(middle) ? low : high) = is_reached(middle) ? middle + 1 : middle;
  }
  return low;
}

template <std::size_t LaterCount>
std::size_t scan_all(std::span<const std::uint32_t> words, const Scan& scan) {
  constexpr std::size_t kWidth = 2 + LaterCount;
  const std::size_t count = count_reached<kWidth>(words, scan.reach);
  const std::uint32_t* row = words.data();
  for (std::size_t i = 0; i < count; ++i, row += kWidth) {
    bool has_all = true;
    for (std::size_t k = 0; k < LaterCount && has_all; ++k) has_all = scan.shares.has(row[2 + k]);
    if (has_all) scan.candidates.push_back({row[1], scan.term.term});
  }
  return count;
}

template <std::size_t LaterCount>
std::size_t scan_inline(TextMode mode, std::span<const std::uint32_t> words, const Scan& scan) {
  return mode == TextMode::kAll ? scan_all<LaterCount>(words, scan)
                                : scan_any<LaterCount>(words, scan);
}

std::size_t scan_long(std::span<const std::uint32_t> words, const Scan& scan) {
  return read_rows<0>(words, scan, [](double, const std::uint32_t*) { return true; });
}

std::size_t read_chunk(const PostingLists::Chunk& chunk, const Scan& scan) {
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

}  // namespace

void prefetch_rows(const ChunkScan& scan) {
  constexpr std::size_t kLineWords = 16;
  constexpr std::size_t kWordsMax = 16 * kLineWords;  // what follows is foreseen by the hardware
  const std::span<const std::uint32_t> words = scan.chunk->words();
  const std::size_t end = std::min(words.size(), kWordsMax);
  for (std::size_t at = kLineWords; at < end; at += kLineWords) __builtin_prefetch(&words[at]);
}

void scan_rows(ChunkScan& scan, const DocumentShares& shares, std::vector<Candidate>& candidates) {
  const Scan rows{scan.term, scan.reach, shares, candidates};
  scan.row_count = static_cast<std::uint32_t>(read_chunk(*scan.chunk, rows));
}

}  // namespace weir::match::text
