// SPDX-License-Identifier: Apache-2.0
// SlicePlan: where the cells of one filter lie when several sites hold it. Pure arithmetic:
// producers and sites that agree on the options agree on every placement, and nothing is ever
// looked up.
//
// The idea (paper 000, sections 3 and 4): a filter that is too busy, or must outlive a site, is cut
// in slices that lie at S sites. With H the hash of the slice and h_i the k probes:
//
//   kHorizontal           H(key) picks one of S filters of m/S cells; all k probes lie in it.
//   kVertical             one filter of m cells, cut: cell j lies in slice floor(j * S / m).
//   kHorizontalVertical   S horizontal slices, each cut vertically in S' (h-v diced).
//   kVerticalHorizontal   S vertical slices, each horizontal in S' parts (v-h diced): h_i picks the
//                         slice and the place in it, H(key) the part, the same in every slice.
//
//   m = 16, S = 2, S' = 2; the probes of a key with H(key) = 1; sites hold four cells each:
//
//                 site 0    site 1     site 2    site 3
//   h-v diced   | . . . . | . . . . || . x . x | x . . . |    slice 1, any part
//   v-h diced   | . . . . | . x . x || . . . . | x . . . |    part 1 of any slice
//
// Sites own ranges of the cells 0..m-1 in the order of their indices; the ranges cover all cells,
// none twice, and slices (and the parts of one slice) differ by at most one cell where m is not a
// multiple. Of these kinds only kVertical has the probes, and so the answers, of a single filter.
//
// False positives with n keys, exact but for the usual (1 - 1/m)^(kn):
//
//   kVertical               (1 - (1 - 1/m)^(kn))^k
//   kHorizontal, h-v        sum over j of Binomial(n, 1/S)(j) * (1 - (1 - S/m)^(kj))^k; the paper
//                           sets j = n/S, which is below that since slices get unequal numbers
//   v-h                     as kHorizontal with S' for S: H(key) = p reaches part p of every slice,
//                           together a filter of m/S' cells of its own. It is the h-v dicing with
//                           S and S' exchanged and the sites numbered across. A cell of a part is
//                           drawn by S' cells of the slice, some by one more or less where the
//                           sizes do not divide.
//
// Costs: k hashes, one more for H, and sorting k small records. Immutable.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "bloom/probe.h"

namespace weir::bloom {

enum class SliceKind : std::uint8_t {
  kHorizontal,
  kVertical,
  kHorizontalVertical,
  kVerticalHorizontal,
};

struct SlicePlanOptions {
  SliceKind kind = SliceKind::kVertical;
  BloomShape shape = {};                // of the whole
  std::uint32_t slice_count = 1;        // S in the paper
  std::uint32_t inner_slice_count = 1;  // S' in the paper; 1 unless the kind is diced
};

inline constexpr std::uint64_t kSiteCountMax = std::uint64_t{1} << 20;

// Where one probe of a key lies.
struct Placement {
  std::uint32_t site_index = 0;
  std::uint64_t cell_index = 0;  // within the site

  auto operator<=>(const Placement&) const = default;
};

class SlicePlan {
 public:
  // Requires a valid shape and 1 <= S * S' <= kSiteCountMax, no more sites than cells.
  explicit SlicePlan(const SlicePlanOptions& options);

  // Replaces the placements by the key's k ones, ascending by site, then by cell: who visits sites
  // in this order over FIFO links meets another producer of the key at their first common site.
  void place(std::uint64_t key, std::vector<Placement>& placements) const;

  const SlicePlanOptions& options() const { return options_; }
  std::uint32_t site_count() const { return options_.slice_count * options_.inner_slice_count; }
  std::uint64_t site_cell_count(std::uint32_t site_index) const;
  // The site's first cell in the whole filter.
  std::uint64_t site_begin(std::uint32_t site_index) const;

  // What it takes to send these probes as cell indices: log2 of the site's cells for each, so
  // k * log2(m/S) to the one site of kHorizontal, and as many elsewhere, spread over the sites
  // (the paper has one index per contacted site, but two probes that meet at a site are two).
  double message_bits(std::span<const Placement> placements) const;

 private:
  bool horizontal_first() const;
  void place_in_slice(std::uint64_t key, std::vector<Placement>& placements) const;
  void place_across(std::uint64_t key, std::vector<Placement>& placements) const;

  SlicePlanOptions options_;
};

// The leading placements of one site, as a message to it carries them; empty if there are none.
std::span<const Placement> leading_site(std::span<const Placement> placements);

// The number of different sites, for placements in the order of place().
std::uint32_t sites_contacted(std::span<const Placement> placements);

}  // namespace weir::bloom
