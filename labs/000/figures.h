// SPDX-License-Identifier: Apache-2.0
// The figures of paper 000's section 7, one function per table of results, and what they share.
//
// Each writes one CSV and returns whether it could. Sizes are the paper's: k = 4 (8 for
// thresholds), filters sized from the number of distinct events for P = 0.02, 0.05 and 0.08.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "000/workload.h"
#include "bloom/slice_plan.h"

namespace weir::lab {

struct Lab {
  std::string directory;               // where the CSV go
  std::uint32_t repetition_count = 1;  // draws of the hash functions, of which the mean is told
  std::vector<Workload> web_logs;      // the first is the one of figures 5, 9, 10, 12
  std::vector<Workload> others;        // synthetic ones and flows
};

inline constexpr std::uint32_t kProbeCount = 4;           // k
inline constexpr std::uint32_t kThresholdProbeCount = 8;  // k of figures 5(d) and 9
inline constexpr std::array kTargets{0.02, 0.05, 0.08};   // P
inline constexpr std::array<std::uint32_t, 8> kSliceCounts{1, 10, 20, 50, 100, 200, 500, 1000};
// Where the paper fails 8 of 40 sites.
inline constexpr std::uint32_t kSiteCount = 40;

bool write_false_positives(const Lab& lab);  // 5(a), 7(a), 7(b)
bool write_load(const Lab& lab);             // 5(b), 5(c), 8
bool write_sites_contacted(const Lab& lab);  // 7(c)
bool write_failures(const Lab& lab);         // 1(a)
bool write_slices_wanted(const Lab& lab);    // 1(b)
bool write_live_threshold(const Lab& lab);   // 5(d)
bool write_equal_shares(const Lab& lab);     // 9(a), 9(b)
bool write_equal_threshold(const Lab& lab);  // 9(c), 9(d)
bool write_bursts(const Lab& lab);           // 10, 11
bool write_tree_levels(const Lab& lab);      // table 1, 12(a), 12(b)
bool write_top_down(const Lab& lab);         // 12(c)

// m for so many distinct keys; the shape of the whole filter.
bloom::BloomShape shape_for(std::size_t key_count, double target, std::uint32_t probe_count);

const char* name_of(bloom::SliceKind kind);

// A share of trials.
struct Rate {
  std::uint64_t hit_count = 0;
  std::uint64_t trial_count = 0;

  void add(bool hit) {
    hit_count += hit ? 1 : 0;
    ++trial_count;
  }
  double value() const {
    return trial_count == 0 ? 0 : static_cast<double>(hit_count) / static_cast<double>(trial_count);
  }
};

// What a filter said against what is true: false positives FP/(FP+TN) are distinct events called
// duplicates, false negatives FN/(FN+TP) duplicates called distinct.
struct Judgement {
  Rate false_positives;
  Rate false_negatives;

  void add(bool said_distinct, bool is_distinct) {
    if (is_distinct) {
      false_positives.add(!said_distinct);
    } else {
      false_negatives.add(said_distinct);
    }
  }
};

}  // namespace weir::lab
