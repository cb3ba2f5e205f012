// SPDX-License-Identifier: Apache-2.0
// Checks: the properties that a scenario demands, one function each.
#pragma once

#include <vector>

#include "runtime/sim/report.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/work.h"
#include "runtime/sim/world.h"

namespace weir::runtime::sim {

// Checks of the members in their current state. Every member's own key (at most 2 000, drawn at
// random) and `key_count` other keys have one home; in Chord it is the right one.
Verdict check_owners(World& world, std::uint64_t key_count, std::uint64_t seed);
// Each member's successor is the next member that is up.
Verdict check_ring(World& world);
// All members that are up know their number and the sum of their amounts.
Verdict check_sum(const World& world, const Work& work);

// Checks of measured values.
Verdict check_lookups(const Report& report, Fraction right_min);
Verdict check_hops(const Report& report, std::optional<Fraction> least,
                   std::optional<Fraction> most);
Verdict check_casts(const Report& report);
Verdict check_items(const Report& report, Fraction kept_min);
Verdict check_drops(const Report& report, const std::vector<protocol::DropReason>& reasons);

// Runs the liveness checks of the scenario, when its calm begins.
std::vector<Verdict> check_settled(const Scenario& scenario, World& world);
// Runs the final checks of the scenario; `report` has the measured values.
std::vector<Verdict> check_end(const Scenario& scenario, World& world, const Work& work,
                               const Report& report);

}  // namespace weir::runtime::sim
