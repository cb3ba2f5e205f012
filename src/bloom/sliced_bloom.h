// SPDX-License-Identifier: Apache-2.0
// SlicedBloom: all slices of a sliced filter in one process, with sites that can fail; what a
// distributed filter is compared with.
//
// The idea (paper 000, section 3): the producer of an event works out where its k cells lie
// (slice_plan.h), groups them by site, and asks each site once. A lookup is parallel (all sites at
// once, the producer combines their answers) or pipelined (sites in ascending order; a test stops
// at the first site with an unset cell, and only the deciding site answers):
//
//   key with k = 4    | 0 1 1 0 | 1 0 1 1 | 0 0 1 0 | 1 1 0 1 |
//                           x         x     x             x
//                       site 0    site 1    site 2    site 3
//   parallel            set       set       unset     set         distinct, 4 sites contacted
//   pipelined           set    -> set    -> unset                 distinct, 3 sites contacted
//
// A failed site is not contacted, so sets nothing. A key is a duplicate if every cell at a live
// site is set and at least x of its probes are at live sites; x is what the three treatments of
// the paper differ in. With a = f/S, q the density and p = q^k (false positives FP, false negatives
// FN, after failures of evenly loaded sites):
//
//   x                            kHorizontal              kVertical
//   0, kFailedIsDuplicate        FP a + (1-a)p            FP (a + (1-a)q)^k
//   k, kFailedIsDistinct         FP (1-a)p, FN a          FP ((1-a)q)^k, FN 1 - (1-a)^k
//   between                      as k                     FP sum_{i>=x} C(k,i) ((1-a)q)^i a^(k-i)
//                                                         FN sum_{i<x} C(k,i) (1-a)^i a^(k-i)
//
// Diced filters fail as vertical ones among the sites that one key can reach (h-v: those of its
// horizontal slice; v-h: its part of every slice): the formulas hold for each such group with the
// group's own share of failed sites, and one sees their average. The paper's (a + (1-a)q)^k with
// the overall a is the case of evenly spread failures, and a lower bound of FP otherwise.
//
// Guarantee: without failures a key that was set is never called distinct. Costs: k random memory
// accesses and the placement. Single-threaded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bloom/classic_bloom.h"
#include "bloom/slice_plan.h"

namespace weir::bloom {

enum class SliceLookup : std::uint8_t { kParallel, kPipelined };

// Values of live_probe_count_min, x in the paper.
inline constexpr std::uint32_t kFailedIsDuplicate = 0;
inline constexpr std::uint32_t kFailedIsDistinct = kProbeCountMax;  // more than k counts as k

struct SliceAnswer {
  bool distinct = false;
  std::uint32_t site_count = 0;   // requests sent; testing and then setting at a site are two
  std::uint32_t probe_count = 0;  // cells named in them
};

class SlicedBloom {
 public:
  explicit SlicedBloom(const SlicePlanOptions& options,
                       std::uint32_t live_probe_count_min = kFailedIsDuplicate);

  SliceAnswer test(std::uint64_t key, SliceLookup lookup = SliceLookup::kPipelined);
  // Every live site is asked in either way of looking up.
  SliceAnswer test_and_set(std::uint64_t key);
  // Asks as test(), and if the key is distinct every live site again.
  SliceAnswer first_test_then_set(std::uint64_t key, SliceLookup lookup = SliceLookup::kPipelined);

  void fail_site(std::uint32_t site_index);
  // The site is back with the cells that it had when it failed.
  void restore_site(std::uint32_t site_index);

  const SlicePlan& plan() const { return plan_; }
  const ClassicBloom& site(std::uint32_t site_index) const { return sites_[site_index]; }
  // Requests per site so far.
  std::span<const std::uint64_t> site_loads() const { return site_loads_; }

 private:
  template <typename AnyUnset>
  SliceAnswer ask(SliceLookup lookup, AnyUnset any_unset);
  SliceAnswer test_placed(SliceLookup lookup);
  SliceAnswer set_placed();

  SlicePlan plan_;
  std::uint32_t live_probe_count_min_;
  std::vector<ClassicBloom> sites_;
  std::vector<bool> failed_;
  std::vector<std::uint64_t> site_loads_;
  std::vector<Placement> placements_;  // of the key at hand
};

// Jain's fairness (sum x)^2 / (S * sum x^2): 1 if all carry the same, 1/S if one carries all; 1 if
// there is nothing to carry.
double jain_fairness(std::span<const std::uint64_t> loads);

}  // namespace weir::bloom
