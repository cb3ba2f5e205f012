// SPDX-License-Identifier: Apache-2.0
// Report: the measured values and the verdicts of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/instant.h"
#include "protocol/cost.h"

namespace weir::runtime::sim {

struct Verdict {
  std::string check;  // name in scenarios: "owners"
  bool holds = false;
  std::string detail;  // the findings
};

// Requests of users and their answers. A request is in calm if the faults had ended and the time to
// settle was over.
struct WorkCounts {
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::uint64_t calm_asked = 0;
  std::uint64_t calm_answered = 0;
  std::uint64_t calm_right = 0;
};

struct Sample {
  base::Duration at;
  std::uint64_t up_count = 0;
  std::uint64_t unsettled_count = 0;        // sampled keys without a settled home
  std::vector<std::uint64_t> hops_by_kind;  // since the start, in the order of Report::kinds
};

struct Report {
  std::string name;
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;
  base::Duration length;  // in virtual time
  std::uint64_t message_count = 0;
  std::uint64_t member_count = 0;
  std::uint64_t up_count = 0;
  WorkCounts lookups;
  WorkCounts puts;
  WorkCounts gets;
  WorkCounts casts;
  std::uint64_t add_count = 0;
  std::vector<std::uint64_t> hops_histogram;  // lookups in calm, by hops
  protocol::CostTable costs;
  std::vector<protocol::MessageKind> kinds;  // in the samples
  std::uint64_t sample_key_count = 0;
  std::vector<Sample> samples;
  std::vector<Verdict> verdicts;

  bool holds() const;
  double mean_hops() const;
};

}  // namespace weir::runtime::sim
