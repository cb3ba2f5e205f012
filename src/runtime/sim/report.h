// SPDX-License-Identifier: Apache-2.0
// Report: what a run of a scenario measured, and whether what must hold held.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/instant.h"
#include "protocol/cost.h"

namespace weir::runtime::sim {

struct Verdict {
  std::string check;  // by its name in scenarios: "owners"
  bool holds = false;
  std::string detail;  // what was found
};

// What users asked for, and what came of it. Those in calm were asked after the faults had ended
// and the time to settle was over.
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
  std::uint64_t unsettled_count = 0;        // of the sample's keys
  std::vector<std::uint64_t> hops_by_kind;  // so far; the order of Report::kinds
};

struct Report {
  std::string name;
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;
  base::Duration length;  // of virtual time
  std::uint64_t message_count = 0;
  std::uint64_t member_count = 0;
  std::uint64_t up_count = 0;
  WorkCounts lookups;
  WorkCounts puts;
  WorkCounts gets;
  WorkCounts casts;
  std::uint64_t add_count = 0;
  std::vector<std::uint64_t> hops_histogram;  // of lookups in calm, by hops
  protocol::CostTable costs;
  std::vector<protocol::MessageKind> kinds;  // of the samples
  std::uint64_t sample_key_count = 0;
  std::vector<Sample> samples;
  std::vector<Verdict> verdicts;

  bool holds() const;
  double mean_hops() const;
};

}  // namespace weir::runtime::sim
