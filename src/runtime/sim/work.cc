// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/work.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/chord/messages.h"

namespace weir::runtime::sim {

namespace probe = protocol::probe;
using protocol::Key;
using protocol::NodeId;

namespace {

constexpr std::uint64_t kWorkSalt = 0x776F726BU;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kAmountMax = 1000;
// The most stored keys that are asked for at the end.
constexpr std::size_t kReadBackMax = 10'000;

base::Instant at(base::Duration duration) { return base::Instant{} + duration; }

void answer(WorkCounts& counts, bool was_calm, bool is_right) {
  ++counts.answered;
  if (!was_calm) return;
  ++counts.calm_answered;
  counts.calm_right += is_right ? 1 : 0;
}

void ask(WorkCounts& counts, bool is_calm) {
  ++counts.asked;
  counts.calm_asked += is_calm ? 1 : 0;
}

}  // namespace

bool Work::CastRecord::is_exact() const {
  if (expected.empty()) return is_each_key_heard_once();
  if (heard.size() != expected.size()) return false;
  return std::ranges::all_of(heard, [this](const auto& entry) {
    const auto& [node, times] = entry;
    const auto found = expected.find(node);
    return found != expected.end() && times.size() == 1 && times[0] == found->second;
  });
}

bool Work::CastRecord::is_each_key_heard_once() const {
  std::vector<Key> all;
  for (const auto& [node, times] : heard) {
    if (times.size() != 1) return false;
    all.insert(all.end(), times[0].begin(), times[0].end());
  }
  std::ranges::sort(all);
  return all == keys;
}

Work::Work(const Scenario& scenario, World& world)
    : scenario_(scenario), world_(world), prng_(scenario.seed ^ kWorkSalt) {}

void Work::start() {
  const WorkOptions& work = scenario_.work;
  every(work.lookups, &Work::look_up);
  every(work.puts, &Work::put);
  every(work.gets, &Work::get);
  every(work.casts, &Work::cast_keys);
  every(work.arc_casts, &Work::cast_arc);
  every(work.adds, &Work::add);
  if (scenario_.checks.items_kept) {
    world_.sim().at(at(std::max(scenario_.calm_from(), work.until)), [this] { read_back(); });
  }
}

void Work::every(std::uint64_t per_second, void (Work::*ask)()) {
  if (per_second > 0)
    repeat(at(scenario_.work.from), kSecond / static_cast<std::int64_t>(per_second), ask);
}

void Work::repeat(base::Instant instant, std::int64_t interval_ns, void (Work::*ask)()) {
  if (instant >= at(scenario_.work.until)) return;
  world_.sim().at(instant, [this, instant, interval_ns, ask] {
    if (!world_.up().empty()) (this->*ask)();
    repeat(instant + base::Duration{interval_ns}, interval_ns, ask);
  });
}

// Spreads the requests over half of the drain time.
void Work::read_back() {
  const std::size_t count = std::min(stored_.size(), kReadBackMax);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t later = scenario_.drain.nanoseconds / 2 / static_cast<std::int64_t>(count) *
                               static_cast<std::int64_t>(i);
    world_.sim().at(world_.sim().now() + base::Duration{later},
                    [this, stored = stored_[i]] { get(stored); });
  }
}

void Work::look_up() {
  const Asked asked{any_member(), any_key()};
  ask(lookups_, is_calm());
  lookups_asked_[asked] = is_calm();
  world_.sim().tell(asked.first,
                    protocol::chord::encode(protocol::chord::Lookup{.key = asked.second}));
}

void Work::put() {
  const Asked asked{any_member(), any_key()};
  const std::string text = fmt::format("text {}", puts_.asked);
  ask(puts_, is_calm());
  puts_asked_[asked] = {text, is_calm()};
  world_.sim().tell(asked.first, probe::encode(probe::Put{.key = asked.second, .text = text}));
}

void Work::get() {
  if (!stored_.empty()) get(stored_[prng_.next() % stored_.size()]);
}

void Work::get(const Stored& stored) {
  const Asked asked{any_member(), stored.key};
  if (gets_asked_.contains(asked)) return;
  ask(gets_, is_calm());
  gets_asked_[asked] = {stored.text, is_calm()};
  world_.sim().tell(asked.first, probe::encode(probe::Get{.key = asked.second}));
}

void Work::cast_keys() {
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < scenario_.work.cast_keys; ++i) keys.push_back(any_key());
  keys = protocol::in_order(std::move(keys));
  CastRecord record;
  record.keys = keys;
  for (const Key key : keys) {
    if (const auto home = world_.right_home(key)) record.expected[*home].push_back(key);
  }
  cast(std::move(record), std::move(keys));
}

void Work::cast_arc() {
  const Fraction& share = scenario_.work.cast_arc;
  const protocol::Ring& ring = world_.maker().ring();
  const Key after = any_key();
  const std::uint64_t length =
      share.numerator == share.denominator ? 0 : ring.mask() / share.denominator * share.numerator;
  const protocol::KeyArc arc{.after = after, .last = ring.plus(after, length)};
  CastRecord record;
  for (const NodeId home : world_.right_homes(arc)) record.expected[home] = {};
  cast(std::move(record), arc);
}

void Work::cast(CastRecord record, protocol::Destinations destinations) {
  ask(all_casts_, is_calm());
  const std::uint64_t number = ++cast_number_;
  if (is_calm()) casts_[number] = std::move(record);
  world_.sim().tell(any_member(),
                    probe::encode(probe::Cast{.number = number,
                                              .destinations = std::move(destinations),
                                              .text = fmt::format("cast {}", number)}));
}

void Work::add() {
  const NodeId node = any_member();
  const auto amount = static_cast<std::int64_t>(prng_.next() % (2 * kAmountMax + 1)) -
                      static_cast<std::int64_t>(kAmountMax);
  ++add_count_;
  added_[node] += amount;
  world_.sim().tell(node, probe::encode(probe::Add{.amount = amount}));
}

void Work::on_deliver(NodeId node, const protocol::Deliver& what) {
  if (const auto found = protocol::read<protocol::chord::Found>(what.bytes)) {
    hear(node, *found);
  } else if (const auto stored = probe::read<probe::Stored>(what.bytes)) {
    hear(node, *stored);
  } else if (const auto got = probe::read<probe::Got>(what.bytes)) {
    hear(node, *got);
  } else if (const auto arrived = probe::read<probe::Arrived>(what.bytes)) {
    hear(node, *arrived);
  } else if (const auto sum = probe::read<probe::Sum>(what.bytes)) {
    sums_[node] = *sum;
  }
}

void Work::hear(NodeId node, const protocol::chord::Found& found) {
  const auto asked = lookups_asked_.extract({node, found.key});
  if (asked.empty()) return;
  answer(lookups_, asked.mapped(), found.home.node == world_.right_home(found.key));
  if (!asked.mapped()) return;
  if (hops_histogram_.size() <= found.hops) hops_histogram_.resize(found.hops + 1);
  ++hops_histogram_[found.hops];
}

void Work::hear(NodeId node, const probe::Stored& stored) {
  const auto asked = puts_asked_.extract({node, stored.key});
  if (asked.empty()) return;
  answer(puts_, asked.mapped().second, true);
  stored_.push_back({.key = stored.key, .text = std::move(asked.mapped().first)});
}

void Work::hear(NodeId node, const probe::Got& got) {
  const auto asked = gets_asked_.extract({node, got.key});
  if (!asked.empty()) answer(gets_, asked.mapped().second, got.text == asked.mapped().first);
}

void Work::hear(NodeId node, const probe::Arrived& arrived) {
  const auto cast = casts_.find(arrived.number);
  const bool was_calm = cast != casts_.end();
  if (casts_heard_.insert(arrived.number).second) answer(all_casts_, was_calm, false);
  if (!was_calm) return;
  std::vector<Key> keys = arrived.keys;
  std::ranges::sort(keys);
  cast->second.heard[node].push_back(std::move(keys));
}

void Work::report(Report& report) const {
  report.lookups = lookups_;
  report.puts = puts_;
  report.gets = gets_;
  report.casts = all_casts_;
  for (const auto& [number, record] : casts_) {
    if (record.is_exact()) ++report.casts.calm_right;
  }
  report.add_count = add_count_;
  report.hops_histogram = hops_histogram_;
}

std::optional<probe::Sum> Work::sum_at(NodeId node) const {
  const auto found = sums_.find(node);
  if (found == sums_.end()) return std::nullopt;
  return found->second;
}

std::int64_t Work::exact_sum() const {
  std::int64_t sum = 0;
  for (const auto& [node, amount] : added_) {
    if (world_.is_up(node)) sum += amount;
  }
  return sum;
}

bool Work::is_calm() const { return world_.sim().now() >= at(scenario_.calm_from()); }

NodeId Work::any_member() { return world_.up()[prng_.next() % world_.up().size()]; }

Key Work::any_key() { return {prng_.next() & world_.maker().ring().mask()}; }

}  // namespace weir::runtime::sim
