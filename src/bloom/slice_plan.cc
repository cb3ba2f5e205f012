// SPDX-License-Identifier: Apache-2.0
#include "bloom/slice_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace weir::bloom {
namespace {

// The hash of the slice is the probe that no key has.
constexpr std::uint32_t kSliceProbe = kProbeCountMax;

// A range of cells in parts that differ by at most one: cell j lies in part floor(j * S / m). The
// products stay below 2^60.
struct Cut {
  std::uint64_t cell_count = 0;
  std::uint64_t part_count = 0;

  std::uint64_t part_of(std::uint64_t cell) const { return cell * part_count / cell_count; }
  std::uint64_t begin_of(std::uint64_t part) const {
    return (part * cell_count + part_count - 1) / part_count;
  }
  std::uint64_t size_of(std::uint64_t part) const { return begin_of(part + 1) - begin_of(part); }
};

Cut outer_cut(const SlicePlanOptions& options) {
  return {options.shape.cell_count, options.slice_count};
}

Cut inner_cut(const SlicePlanOptions& options, std::uint64_t slice_index) {
  return {outer_cut(options).size_of(slice_index), options.inner_slice_count};
}

// floor(offset * part_cells / slice_cells): spreads a slice's cells over a part of it. With one
// part nothing moves, so that a plan with S' = 1 is the undiced one.
std::uint64_t scale(std::uint64_t offset, std::uint64_t part_cells, std::uint64_t slice_cells) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(offset) * part_cells / slice_cells);
}

}  // namespace

SlicePlan::SlicePlan(const SlicePlanOptions& options) : options_(options) {
  const BloomShape& shape = options.shape;
  WEIR_CHECK(shape.cell_count >= 1 && shape.cell_count <= kCellCountMax);
  WEIR_CHECK(shape.probe_count >= 1 && shape.probe_count <= kProbeCountMax);
  const bool diced = options.kind == SliceKind::kHorizontalVertical ||
                     options.kind == SliceKind::kVerticalHorizontal;
  WEIR_CHECK(diced || options.inner_slice_count == 1);
  const std::uint64_t sites = std::uint64_t{options.slice_count} * options.inner_slice_count;
  WEIR_CHECK(sites >= 1 && sites <= std::min(kSiteCountMax, shape.cell_count));
}

bool SlicePlan::horizontal_first() const {
  return options_.kind == SliceKind::kHorizontal || options_.kind == SliceKind::kHorizontalVertical;
}

void SlicePlan::place(std::uint64_t key, std::vector<Placement>& placements) const {
  placements.clear();
  if (horizontal_first()) {
    place_in_slice(key, placements);
  } else {
    place_across(key, placements);
  }
  std::ranges::sort(placements);
}

void SlicePlan::place_in_slice(std::uint64_t key, std::vector<Placement>& placements) const {
  const std::uint64_t slice = probe(key, kSliceProbe, options_.slice_count);
  const Cut inner = inner_cut(options_, slice);
  for (std::uint32_t i = 0; i < options_.shape.probe_count; ++i) {
    const std::uint64_t cell = probe(key, i, inner.cell_count);
    const std::uint64_t part = inner.part_of(cell);
    const std::uint64_t site = slice * inner.part_count + part;
    placements.push_back({static_cast<std::uint32_t>(site), cell - inner.begin_of(part)});
  }
}

void SlicePlan::place_across(std::uint64_t key, std::vector<Placement>& placements) const {
  const Cut outer = outer_cut(options_);
  const std::uint64_t part = probe(key, kSliceProbe, options_.inner_slice_count);
  for (std::uint32_t i = 0; i < options_.shape.probe_count; ++i) {
    const std::uint64_t cell = probe(key, i, outer.cell_count);
    const std::uint64_t slice = outer.part_of(cell);
    const Cut inner = inner_cut(options_, slice);
    const std::uint64_t site = slice * inner.part_count + part;
    placements.push_back(
        {static_cast<std::uint32_t>(site),
         scale(cell - outer.begin_of(slice), inner.size_of(part), inner.cell_count)});
  }
}

std::uint64_t SlicePlan::site_cell_count(std::uint32_t site_index) const {
  WEIR_CHECK(site_index < site_count());
  const Cut inner = inner_cut(options_, site_index / options_.inner_slice_count);
  return inner.size_of(site_index % options_.inner_slice_count);
}

std::uint64_t SlicePlan::site_begin(std::uint32_t site_index) const {
  WEIR_CHECK(site_index < site_count());
  const std::uint32_t slice = site_index / options_.inner_slice_count;
  return outer_cut(options_).begin_of(slice) +
         inner_cut(options_, slice).begin_of(site_index % options_.inner_slice_count);
}

double SlicePlan::message_bits(std::span<const Placement> placements) const {
  double bits = 0;
  for (const Placement& placement : placements) {
    bits += std::log2(static_cast<double>(site_cell_count(placement.site_index)));
  }
  return bits;
}

std::span<const Placement> leading_site(std::span<const Placement> placements) {
  std::size_t count = 0;
  while (count < placements.size() && placements[count].site_index == placements[0].site_index) {
    ++count;
  }
  return placements.first(count);
}

std::uint32_t sites_contacted(std::span<const Placement> placements) {
  std::uint32_t count = 0;
  for (; !placements.empty(); ++count) {
    placements = placements.subspan(leading_site(placements).size());
  }
  return count;
}

}  // namespace weir::bloom
