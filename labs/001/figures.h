// SPDX-License-Identifier: Apache-2.0
// The tables of paper 001's claims. Each function writes its CSV and returns whether it could.
//
// Publications come in two halves: the first teaches a prefilter which bits are rare, the second is
// measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "001/workload.h"

namespace weir::lab {

struct Lab {
  std::string directory;  // where the CSV go
  std::vector<Workload> workloads;
  std::size_t swept_subscription_count = 0;  // of each workload, where n and k are varied
  std::uint32_t draw_count = 1;              // of the hash functions, of which the mean is told
  std::size_t probe_trial_count = 0;         // keys asked for per compressed filter
  double (*cpu_seconds)() = nullptr;
};

inline constexpr std::array<std::uint32_t, 7> kBitCounts{64, 128, 256, 512, 1024, 2048, 4096};  // n
inline constexpr std::uint32_t kProbeCountMax = 8;                                              // k

// Who reaches the full test, and the lists on the way, over n and k: prefilter.csv.
bool write_prefilter(const Lab& lab);
// What no prefilter can go below: subscriptions with all their pairs, and matches: floors.csv.
bool write_floors(const Lab& lab);
// Quotes over the share of subscriptions that name a symbol, and over the number of symbols:
// equality.csv.
bool write_equality(const Lab& lab);
// Time per publication and memory per subscription, with all subscriptions: times.csv.
bool write_times(const Lab& lab);
// False positives against bytes sent: compressed.csv.
bool write_compressed(const Lab& lab);

}  // namespace weir::lab
