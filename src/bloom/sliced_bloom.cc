// SPDX-License-Identifier: Apache-2.0
#include "bloom/sliced_bloom.h"

#include <algorithm>

#include "base/check.h"

namespace weir::bloom {

SlicedBloom::SlicedBloom(const SlicePlanOptions& options, std::uint32_t live_probe_count_min)
    : plan_(options),
      live_probe_count_min_(std::min(live_probe_count_min, options.shape.probe_count)),
      failed_(plan_.site_count()),
      site_loads_(plan_.site_count()) {
  for (std::uint32_t i = 0; i < plan_.site_count(); ++i) {
    sites_.emplace_back(BloomShape{plan_.site_cell_count(i), options.shape.probe_count});
  }
}

// any_unset(site, cells) is what a live site does, and its answer.
template <typename AnyUnset>
SliceAnswer SlicedBloom::ask(SliceLookup lookup, AnyUnset any_unset) {
  SliceAnswer answer;
  std::span<const Placement> rest = placements_;
  while (!rest.empty() && !(answer.distinct && lookup == SliceLookup::kPipelined)) {
    const std::span<const Placement> cells = leading_site(rest);
    const std::uint32_t site_index = cells[0].site_index;
    rest = rest.subspan(cells.size());
    if (failed_[site_index]) continue;
    ++site_loads_[site_index];
    ++answer.site_count;
    answer.probe_count += static_cast<std::uint32_t>(cells.size());
    if (any_unset(sites_[site_index], cells)) answer.distinct = true;
  }
  if (answer.probe_count < live_probe_count_min_) answer.distinct = true;
  return answer;
}

SliceAnswer SlicedBloom::test_placed(SliceLookup lookup) {
  return ask(lookup, [](const ClassicBloom& site, std::span<const Placement> cells) {
    return std::ranges::any_of(cells, [&](auto& cell) { return !site.cell(cell.cell_index); });
  });
}

SliceAnswer SlicedBloom::set_placed() {
  return ask(SliceLookup::kParallel, [](ClassicBloom& site, std::span<const Placement> cells) {
    bool unset = false;
    for (const Placement& cell : cells) unset |= site.set_cell(cell.cell_index);
    return unset;
  });
}

SliceAnswer SlicedBloom::test(std::uint64_t key, SliceLookup lookup) {
  plan_.place(key, placements_);
  return test_placed(lookup);
}

SliceAnswer SlicedBloom::test_and_set(std::uint64_t key) {
  plan_.place(key, placements_);
  return set_placed();
}

SliceAnswer SlicedBloom::first_test_then_set(std::uint64_t key, SliceLookup lookup) {
  plan_.place(key, placements_);
  SliceAnswer answer = test_placed(lookup);
  if (!answer.distinct) return answer;
  const SliceAnswer set = set_placed();
  answer.site_count += set.site_count;
  answer.probe_count += set.probe_count;
  return answer;
}

void SlicedBloom::fail_site(std::uint32_t site_index) {
  WEIR_CHECK(site_index < plan_.site_count());
  failed_[site_index] = true;
}

void SlicedBloom::restore_site(std::uint32_t site_index) {
  WEIR_CHECK(site_index < plan_.site_count());
  failed_[site_index] = false;
}

double jain_fairness(std::span<const std::uint64_t> loads) {
  double sum = 0;
  double square_sum = 0;
  for (const std::uint64_t load : loads) {
    const auto x = static_cast<double>(load);
    sum += x;
    square_sum += x * x;
  }
  return square_sum == 0 ? 1 : sum * sum / (static_cast<double>(loads.size()) * square_sum);
}

}  // namespace weir::bloom
