// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/checks.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

namespace weir::runtime::sim {

using protocol::Key;
using protocol::NodeId;

namespace {

constexpr std::uint64_t kKeySalt = 0x6B657973U;
// Every member is asked about each key, so with more members only some keys are checked.
constexpr std::uint64_t kMemberKeysMax = 2000;

double value_of(Fraction fraction) {
  return static_cast<double>(fraction.numerator) / fraction.denominator;
}

std::string names_of(const std::vector<NodeId>& nodes) {
  if (nodes.empty()) return "nobody";
  std::string text;
  for (const NodeId node : nodes) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", node.value);
  }
  return text;
}

// Checks that at least this share of the requests in calm had the right answer.
Verdict share_of(std::string check, const WorkCounts& counts, Fraction least) {
  const bool holds = counts.calm_asked > 0 &&
                     counts.calm_right * least.denominator >= counts.calm_asked * least.numerator;
  return {.check = std::move(check),
          .holds = holds,
          .detail = fmt::format("{} of {} right, {} unanswered, at least {}/{} expected",
                                counts.calm_right, counts.calm_asked,
                                counts.calm_asked - counts.calm_answered, least.numerator,
                                least.denominator)};
}

// Returns the trouble with a key; empty if there is none.
std::string trouble_with(World& world, Key key) {
  if (world.is_settled(key)) return {};
  std::string text =
      fmt::format("key {:016x} has home {}", key.value, names_of(world.claimed_homes(key)));
  if (const std::optional<NodeId> right = world.right_home(key))
    text += fmt::format(", expected {}", right->value);
  return text;
}

std::vector<Key> keys_to_check(const World& world, std::uint64_t key_count, std::uint64_t seed) {
  std::vector<Key> keys;
  base::Prng prng(seed ^ kKeySalt);
  for (const NodeId node : world.draw(kMemberKeysMax, prng)) {
    keys.push_back(world.maker().id_of(node));
  }
  for (std::uint64_t i = 0; i < key_count; ++i) {
    keys.push_back({prng.next() & world.maker().ring().mask()});
  }
  return keys;
}

}  // namespace

Verdict check_owners(World& world, std::uint64_t key_count, std::uint64_t seed) {
  const std::vector<Key> keys = keys_to_check(world, key_count, seed);
  std::uint64_t wrong_count = 0;
  std::string first;
  for (const Key key : keys) {
    std::string trouble = trouble_with(world, key);
    if (trouble.empty()) continue;
    if (wrong_count++ == 0) first = std::move(trouble);
  }
  return {.check = "owners",
          .holds = wrong_count == 0,
          .detail = wrong_count == 0 ? fmt::format("{} keys have one home each", keys.size())
                                     : fmt::format("{} of {} keys are wrong; {}", wrong_count,
                                                   keys.size(), first)};
}

Verdict check_ring(World& world) {
  const auto& peers = world.by_place();
  std::uint64_t wrong_count = 0;
  std::string first;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const NodeId next = peers[(i + 1) % peers.size()].node;
    const auto successor = world.maker().successor(world.sim().node(peers[i].node));
    if (successor == next) continue;
    if (wrong_count++ == 0) {
      first = fmt::format("member {} has successor {}, expected {}", peers[i].node.value,
                          successor ? std::to_string(successor->value) : "nobody", next.value);
    }
  }
  return {.check = "ring",
          .holds = wrong_count == 0,
          .detail = wrong_count == 0 ? fmt::format("one cycle of {} members", peers.size())
                                     : fmt::format("{} members are wrong; {}", wrong_count, first)};
}

Verdict check_sum(const World& world, const Work& work) {
  const std::int64_t exact = work.exact_sum();
  const std::uint64_t up_count = world.up().size();
  std::uint64_t wrong_count = 0;
  std::string first;
  for (const NodeId node : world.up()) {
    const auto sum = work.sum_at(node);
    if (sum && sum->sum == exact && sum->member_count == up_count) continue;
    if (wrong_count++ > 0) continue;
    first =
        sum ? fmt::format("member {} has {} of {} members", node.value, sum->sum, sum->member_count)
            : fmt::format("member {} has none", node.value);
  }
  const std::string expected = fmt::format("{} of {} members", exact, up_count);
  return {.check = "sum",
          .holds = wrong_count == 0,
          .detail = wrong_count == 0 ? "all know " + expected
                                     : fmt::format("{} members are wrong; {}, expected {}",
                                                   wrong_count, first, expected)};
}

Verdict check_lookups(const Report& report, Fraction right_min) {
  return share_of("lookups_right", report.lookups, right_min);
}

Verdict check_hops(const Report& report, std::optional<Fraction> least,
                   std::optional<Fraction> most) {
  const double expected = std::log2(static_cast<double>(report.up_count)) / 2;
  const double mean = report.mean_hops();
  const bool holds = report.lookups.calm_answered > 0 &&
                     (!least || mean >= expected * value_of(*least)) &&
                     (!most || mean <= expected * value_of(*most));
  return {.check = "hops",
          .holds = holds,
          .detail = fmt::format("mean {:.3f}, {:.3f} of (log2 {}) / 2", mean, mean / expected,
                                report.up_count)};
}

Verdict check_casts(const Report& report) {
  const WorkCounts& casts = report.casts;
  return {
      .check = "casts_exact",
      .holds = casts.calm_asked > 0 && casts.calm_right == casts.calm_asked,
      .detail = fmt::format("{} of {} came to each home once", casts.calm_right, casts.calm_asked)};
}

Verdict check_items(const Report& report, Fraction kept_min) {
  return share_of("items_kept", report.gets, kept_min);
}

Verdict check_drops(const Report& report, const std::vector<protocol::DropReason>& reasons) {
  std::uint64_t count = 0;
  std::string found;
  for (const protocol::DropReason reason : reasons) {
    const std::uint64_t dropped = report.costs.dropped(reason);
    count += dropped;
    if (dropped > 0) found += fmt::format(", {} {}", dropped, protocol::to_string(reason));
  }
  return {.check = "no_drops",
          .holds = count == 0,
          .detail = count == 0 ? "none" : "messages dropped: " + found.substr(2)};
}

std::vector<Verdict> check_settled(const Scenario& scenario, World& world) {
  const CheckOptions& checks = scenario.checks;
  std::vector<Verdict> verdicts;
  if (checks.owners) verdicts.push_back(check_owners(world, *checks.owners, scenario.seed));
  if (checks.ring) verdicts.push_back(check_ring(world));
  for (Verdict& verdict : verdicts) verdict.check += " after settling";
  return verdicts;
}

std::vector<Verdict> check_end(const Scenario& scenario, World& world, const Work& work,
                               const Report& report) {
  const CheckOptions& checks = scenario.checks;
  std::vector<Verdict> verdicts;
  if (checks.owners) verdicts.push_back(check_owners(world, *checks.owners, ~scenario.seed));
  if (checks.ring) verdicts.push_back(check_ring(world));
  if (checks.lookups_right) verdicts.push_back(check_lookups(report, *checks.lookups_right));
  if (checks.hops_min || checks.hops_max) {
    verdicts.push_back(check_hops(report, checks.hops_min, checks.hops_max));
  }
  if (checks.casts_exact) verdicts.push_back(check_casts(report));
  if (checks.items_kept) verdicts.push_back(check_items(report, *checks.items_kept));
  if (checks.sum) verdicts.push_back(check_sum(world, work));
  if (!checks.no_drops.empty()) verdicts.push_back(check_drops(report, checks.no_drops));
  return verdicts;
}

}  // namespace weir::runtime::sim
