// SPDX-License-Identifier: Apache-2.0
// Checks: whether what a scenario demands holds, each by a function of its own.
#pragma once

#include <vector>

#include "runtime/sim/report.h"
#include "runtime/sim/scenario.h"
#include "runtime/sim/work.h"
#include "runtime/sim/world.h"

namespace weir::runtime::sim {

// Of the members as they are now. Every member's own key (of more than 2 000 members, of so many
// drawn by chance) and `key_count` others have one home, the right one where there is a definition.
Verdict check_owners(World& world, std::uint64_t key_count, std::uint64_t seed);
// Each member's successor is the next one that is up.
Verdict check_ring(World& world);
// All members that are up know the sum of what was added at them, and how many they are.
Verdict check_sum(const World& world, const Work& work);

// Of what was measured.
Verdict check_lookups(const Report& report, Fraction right_min);
Verdict check_hops(const Report& report, std::optional<Fraction> least,
                   std::optional<Fraction> most);
Verdict check_casts(const Report& report);
Verdict check_items(const Report& report, Fraction kept_min);
Verdict check_drops(const Report& report, const std::vector<protocol::DropReason>& reasons);

// Those that the scenario wants when its calm begins: what liveness is.
std::vector<Verdict> check_settled(const Scenario& scenario, World& world);
// Those that it wants at the end; `report` has what was measured.
std::vector<Verdict> check_end(const Scenario& scenario, World& world, const Work& work,
                               const Report& report);

}  // namespace weir::runtime::sim
