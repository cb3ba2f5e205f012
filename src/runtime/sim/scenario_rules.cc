// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "filter/duration.h"
#include "protocol/slots/options.h"

namespace weir::runtime::sim {

using base::Duration;

namespace {

using Trouble = std::optional<ScenarioTrouble>;

ScenarioTrouble trouble(std::string key, std::string message) {
  return {.key = std::move(key), .message = std::move(message)};
}

bool is_rate(FaultKind kind) {
  using enum FaultKind;
  return kind == kLoss || kind == kDuplication || kind == kReordering;
}

// Work and checks that need Chord.
Trouble trouble_with_slots(const Scenario& scenario) {
  constexpr std::string_view kOnlyChord = "{} needs members.overlay = \"chord\"";
  if (scenario.work.lookups > 0) {
    return trouble("work.lookups", fmt::format(kOnlyChord, "work.lookups"));
  }
  if (scenario.work.arc_casts > 0) {
    return trouble("work.arc_casts", fmt::format(kOnlyChord, "work.arc_casts"));
  }
  if (scenario.checks.ring) return trouble("checks.ring", fmt::format(kOnlyChord, "checks.ring"));
  if (scenario.members.count > protocol::slots::kMembersMax) {
    return trouble("members.count", fmt::format("slots has room for at most {} members",
                                                protocol::slots::kMembersMax));
  }
  if (scenario.members.ring_bits != protocol::kRingBitsMax) {
    return trouble("members.ring_bits", fmt::format(kOnlyChord, "members.ring_bits"));
  }
  return std::nullopt;
}

// A check of work that is never done would always fail.
Trouble trouble_with_checks(const Scenario& scenario) {
  const CheckOptions& checks = scenario.checks;
  const WorkOptions& work = scenario.work;
  const bool wants_lookups = checks.lookups_right || checks.hops_min || checks.hops_max;
  if (wants_lookups && work.lookups == 0) {
    return trouble("checks", "lookups_right, hops_min and hops_max need work.lookups");
  }
  if (checks.casts_exact && work.casts + work.arc_casts == 0) {
    return trouble("checks.casts_exact", "casts_exact needs work.casts or work.arc_casts");
  }
  if (checks.items_kept && work.puts == 0) {
    return trouble("checks.items_kept", "items_kept needs work.puts");
  }
  if ((wants_lookups || checks.casts_exact) && work.until <= scenario.calm_from()) {
    return trouble("work.until",
                   fmt::format("work ends at {}, expected later than {}, when faults have ended "
                               "and the time to settle is over: its checks are about what is "
                               "asked then",
                               filter::to_text(work.until), filter::to_text(scenario.calm_from())));
  }
  return std::nullopt;
}

}  // namespace

Trouble trouble_with(const Fault& fault) {
  using enum FaultKind;
  const bool needs_members = !is_rate(fault.kind);
  if (needs_members && !fault.members) return trouble("members", "this fault needs members");
  if ((fault.kind == kDuplication || fault.kind == kReordering) && fault.members) {
    return trouble("members", "this fault strikes the whole network, expected no members");
  }
  if (is_rate(fault.kind) && fault.rate.is_zero()) {
    return trouble("rate", "this fault needs a rate such as \"1/100\"");
  }
  if (fault.kind == kSlow && fault.slowness == Duration{}) {
    return trouble("slowness", "this fault needs slowness, the time for each message");
  }
  if (fault.kind == kSkew && fault.offset == Duration{} && fault.drift_ppm == 0) {
    return trouble("offset", "this fault needs offset or drift_ppm");
  }
  if (fault.every > Duration{} && fault.until < fault.at) {
    return trouble("until", "a fault that strikes again needs until, not before at");
  }
  return std::nullopt;
}

Trouble trouble_with(const Scenario& scenario) {
  if (scenario.sample_every < Duration::milliseconds(1)) {
    return trouble("sample_every", "sample_every is less than a millisecond");
  }
  if (scenario.members.overlay == Overlay::kSlots) {
    if (auto found = trouble_with_slots(scenario)) return found;
  }
  // Places on the ring are drawn by chance and must differ.
  const std::uint64_t bits = scenario.members.ring_bits;
  if (bits < 40 && scenario.members.count > (std::uint64_t{1} << (bits / 2))) {
    return trouble("members.ring_bits", fmt::format("a ring of {} bits is too small for {} members",
                                                    bits, scenario.members.count));
  }
  return trouble_with_checks(scenario);
}

}  // namespace weir::runtime::sim
