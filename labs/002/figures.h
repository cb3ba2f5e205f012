// SPDX-License-Identifier: Apache-2.0
// The tables of paper 002's section 4.3.1. Each function writes its CSV and returns whether it
// could.
#pragma once

#include <string>
#include <vector>

#include "002/workload.h"

namespace weir::lab {

struct Lab {
  std::string directory;  // where the CSV go
  std::vector<Workload> workloads;
};

inline constexpr Value kThresholdMax = 63;

// Figure 4.2: deliveries of OnlineGreedy over those of GlobalOpt, thresholds 1 to 63: ratios.csv.
bool write_ratios(const Lab& lab);
// Corollary 1 away from the worst case: deliveries of the other online algorithms: rivals.csv.
bool write_rivals(const Lab& lab);
// Theorem 1: each algorithm against the adversary: adversary.csv.
bool write_adversary(const Lab& lab);
// Theorem 1: the best that any algorithm can do, by trying all: least.csv.
bool write_least(const Lab& lab);
// Corollary 1: the worst that OnlineGreedy can do, by trying all streams: worst.csv.
bool write_worst(const Lab& lab);

}  // namespace weir::lab
