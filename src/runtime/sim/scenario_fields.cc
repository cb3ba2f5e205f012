// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/scenario_fields.h"

#include <array>

#include "protocol/probe/messages.h"

namespace weir::runtime::sim {

namespace {

constexpr std::array<std::string_view, 2> kOverlays = {"chord", "slots"};
constexpr std::array<std::string_view, 2> kStarts = {"settled", "joins"};
constexpr std::array<std::string_view, 9> kFaults = {
    "crash", "leave", "join", "partition", "loss", "duplication", "reordering", "slow", "skew"};
constexpr std::array<std::string_view, 2> kStates = {"lost", "kept"};
constexpr NumberRange kRate{.least = 0, .most = kScenarioRateMax};

template <typename Enum>
void visit_word(FieldVisitor& visitor, std::string_view key, Enum& value,
                std::span<const std::string_view> names) {
  auto index = static_cast<std::size_t>(value);
  visitor.word(key, index, names);
  value = static_cast<Enum>(index);
}

}  // namespace

void visit_head(FieldVisitor& visitor, Scenario& scenario) {
  visitor.text("name", scenario.name);
  visitor.number("seed", scenario.seed, {.least = 0, .most = INT64_MAX});
  visitor.duration("settle", scenario.settle);
  visitor.duration("drain", scenario.drain);
  visitor.duration("sample_every", scenario.sample_every);
}

void visit(FieldVisitor& visitor, MemberOptions& members) {
  visitor.number("count", members.count, {.least = 1, .most = kScenarioMembersMax});
  visit_word(visitor, "overlay", members.overlay, kOverlays);
  visitor.number("ring_bits", members.ring_bits, {.least = 8, .most = protocol::kRingBitsMax});
  visit_word(visitor, "start", members.start, kStarts);
  visitor.duration("join_every", members.join_every);
}

void visit(FieldVisitor& visitor, LinkOptions& link) {
  visitor.latency("latency", link.latency_min, link.latency_max);
  visitor.round_trips("round_trips", link.sites);
  visitor.fraction("jitter", link.sites.jitter);
  visitor.fraction("loss", link.loss);
  visitor.fraction("duplication", link.duplication);
  visitor.fraction("reordering", link.reordering);
  visitor.duration("reordering_delay", link.reordering_delay_max);
  visitor.flag("keeps_order", link.keeps_order);
}

void visit(FieldVisitor& visitor, WorkOptions& work) {
  visitor.duration("from", work.from);
  visitor.duration("until", work.until);
  visitor.number("lookups", work.lookups, kRate);
  visitor.number("puts", work.puts, kRate);
  visitor.number("gets", work.gets, kRate);
  visitor.number("casts", work.casts, kRate);
  visitor.number("cast_keys", work.cast_keys, {.least = 1, .most = protocol::kDestinationKeysMax});
  visitor.number("arc_casts", work.arc_casts, kRate);
  visitor.fraction("cast_arc", work.cast_arc);
  visitor.number("adds", work.adds, kRate);
}

void visit(FieldVisitor& visitor, Fault& fault) {
  visit_word(visitor, "kind", fault.kind, kFaults);
  visitor.duration("at", fault.at);
  visitor.duration("every", fault.every);
  visitor.duration("until", fault.until);
  visitor.duration("lasts", fault.lasts);
  visitor.amount("members", fault.members);
  visit_word(visitor, "state", fault.keeps_state, kStates);
  visitor.fraction("rate", fault.rate);
  visitor.duration("slowness", fault.slowness);
  visitor.duration("offset", fault.offset);
  visitor.number("drift_ppm", fault.drift_ppm, {.least = 0, .most = kDriftPpmMax});
}

void visit(FieldVisitor& visitor, CheckOptions& checks) {
  visitor.number("owners", checks.owners, {.least = 0, .most = 1'000'000});
  visitor.flag("ring", checks.ring);
  visitor.fraction("lookups_right", checks.lookups_right);
  visitor.fraction("hops_min", checks.hops_min);
  visitor.fraction("hops_max", checks.hops_max);
  visitor.flag("casts_exact", checks.casts_exact);
  visitor.fraction("items_kept", checks.items_kept);
  visitor.flag("sum", checks.sum);
  visitor.drop_reasons("no_drops", checks.no_drops);
}

}  // namespace weir::runtime::sim
