// SPDX-License-Identifier: Apache-2.0
// What the index of text filters speaks of: terms by number, filters, documents and hits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace weir::match::text {

using TermId = std::uint32_t;    // dense; of a TermTable
using MemberId = std::uint32_t;  // the caller's number of a filter; dense, or memory is wasted
using RecordRef = std::uint32_t;

inline constexpr std::uint32_t kNoId = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::size_t kQueryTermCountMax = 1024;

enum class TextMode : std::uint8_t {
  kAny,  // a term is in the document; a score above 0 says so already
  kAll,  // every term is in the document
};

// Matches if the mode holds and the shares of its terms in the document, added from first to last,
// are at least `score_min`.
struct TextFilter {
  MemberId member = 0;
  TextMode mode = TextMode::kAny;
  std::span<const std::string_view> terms;  // distinct, 1 to kQueryTermCountMax
  double score_min = 0.0;                   // T(f) in the paper; finite and not negative
};

struct DocumentTerm {
  TermId term;
  double share;  // freq / maxfreq * idf of today; finite and not negative
};

struct TextHit {
  MemberId member;
  double score;

  bool operator==(const TextHit&) const = default;
};

}  // namespace weir::match::text
