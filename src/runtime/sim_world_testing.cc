// SPDX-License-Identifier: Apache-2.0
// Worlds in the simulator.
#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "base/check.h"
#include "protocol/chord/chord_node.h"
#include "protocol/probe/probe_application.h"
#include "protocol/slots/slot_node.h"
#include "runtime/sim/simulator.h"
#include "runtime/world_testing.h"

namespace weir::runtime {
namespace {

namespace probe = protocol::probe;
using base::Duration;
using base::Instant;
using protocol::Key;
using protocol::NodeId;

constexpr Duration kStep = Duration::milliseconds(20);
constexpr Duration kPatience = Duration::seconds(300);
constexpr NodeId kStranger{kWorldMembers + 1};

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

// Sends messages for its user, who gives the target in eight bytes, then the message.
class Stranger : public protocol::Node {
 public:
  void on_message(Instant /*now*/, NodeId source, std::string_view message,
                  protocol::Effects& effects) override {
    if (source != protocol::kUser) return;
    base::ByteReader reader(message);
    const NodeId target{reader.u64()};
    effects.send(target, protocol::kind_of<probe::Put>(),
                 std::string(reader.raw(reader.rest_bytes())));
  }
  void on_wake(Instant /*now*/, protocol::Effects& /*effects*/) override {}
};

std::optional<Told> told_of(const std::string& bytes) {
  using Kind = Told::Kind;
  if (const auto it = probe::read<probe::Stored>(bytes)) {
    return Told{.kind = Kind::kStored, .key = hex(it->key.value), .text = {}};
  }
  if (const auto it = probe::read<probe::Got>(bytes)) {
    return Told{.kind = Kind::kGot, .key = hex(it->key.value), .text = it->text};
  }
  if (const auto it = probe::read<probe::Failed>(bytes)) {
    return Told{.kind = Kind::kFailed, .key = hex(it->key.value), .text = {}};
  }
  if (const auto it = probe::read<probe::Arrived>(bytes)) {
    Told told{.kind = Kind::kArrived,
              .key = {},
              .text = {},
              .number = static_cast<std::int64_t>(it->number)};
    for (const Key key : it->keys) told.key += hex(key.value);
    return told;
  }
  if (const auto it = probe::read<probe::Sum>(bytes)) {
    return Told{.kind = Kind::kSum,
                .key = {},
                .text = {},
                .number = it->sum,
                .member_count = it->member_count};
  }
  return {};
}

class SimWorld : public World {
 public:
  using Make = std::function<std::unique_ptr<protocol::Node>(NodeId node, std::uint64_t seed)>;

  SimWorld(const Make& make, std::string leave_command)
      : leave_command_(std::move(leave_command)),
        sim_({.seed = 7, .link = {}}, [make](NodeId node, std::uint64_t seed) {
          if (node == kStranger) return std::unique_ptr<protocol::Node>(new Stranger);
          return make(node, seed);
        }) {
    sim_.on_deliver([this](Instant, NodeId node, const protocol::Deliver& deliver) {
      if (node == kStranger) return;
      if (auto told = told_of(deliver.bytes)) told_[node.value - 1].push_back(*std::move(told));
    });
    // All members have an address from the start; members that were not started yet are down.
    for (std::size_t i = 0; i <= kWorldMembers; ++i) sim_.add();
    for (std::size_t i = 0; i < kWorldMembers; ++i) sim_.crash(id(i));
  }

  void start(std::size_t member) override {
    if (sim_.is_up(id(member))) sim_.crash(id(member));
    told_[member].clear();
    cast_counts_[member] = 0;
    sim_.restart(id(member), false);
    sim_.run_until(sim_.now());
  }
  void kill(std::size_t member) override { sim_.crash(id(member)); }
  void leave(std::size_t member) override { sim_.tell(id(member), leave_command_); }

  void put(std::size_t member, const std::string& word, const std::string& text) override {
    sim_.tell(id(member), encode(probe::Put{.key = key_of(word), .text = text}));
  }
  void get(std::size_t member, const std::string& word) override {
    sim_.tell(id(member), encode(probe::Get{.key = key_of(word)}));
  }
  void cast(std::size_t member, const std::vector<std::string>& words) override {
    std::vector<Key> keys;
    for (const std::string& word : words) keys.push_back(key_of(word));
    cast_to(member, protocol::in_order(std::move(keys)));
  }
  void cast_to_all(std::size_t member) override { cast_to(member, protocol::KeyArc{}); }
  void add(std::size_t member, std::int64_t amount) override {
    sim_.tell(id(member), encode(probe::Add{.amount = amount}));
  }
  void send_hostile(std::size_t member, const std::string& bytes) override {
    base::ByteWriter writer;
    writer.u64(id(member).value);
    writer.raw(bytes);
    sim_.tell(kStranger, writer.take());
  }

  const std::vector<Told>& told(std::size_t member) override { return told_[member]; }
  bool is_calm(std::size_t member_count) override {
    std::set<std::size_t> members;
    for (std::uint32_t slot = 0; slot < protocol::kSlotCount; ++slot) {
      const auto homes = homes_of({std::uint64_t{slot} << protocol::kSlotShift});
      if (homes.size() != 1) return false;
      members.insert(homes[0]);
    }
    return members.size() == member_count;
  }
  std::uint64_t dropped_count(std::size_t /*member*/) override {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < protocol::kDropReasonCount; ++i) {
      count += sim_.costs().dropped(static_cast<protocol::DropReason>(i));
    }
    return count;
  }

  bool wait(const std::function<bool()>& holds) override {
    const Instant until = sim_.now() + kPatience;
    while (!holds()) {
      if (sim_.now() > until) return false;
      sim_.run_until(sim_.now() + kStep);
    }
    return true;
  }

 private:
  static NodeId id(std::size_t member) { return {member + 1}; }
  static Key key_of(const std::string& word) { return protocol::Ring().key_of(word); }

  void cast_to(std::size_t member, protocol::Destinations destinations) {
    sim_.tell(id(member), encode(probe::Cast{.number = ++cast_counts_[member],
                                             .destinations = std::move(destinations),
                                             .text = {}}));
  }
  std::vector<std::size_t> homes_of(Key key) {
    std::vector<std::size_t> homes;
    for (std::size_t i = 0; i < kWorldMembers; ++i) {
      if (!sim_.is_up(id(i))) continue;
      const auto& placement = dynamic_cast<const protocol::Placement&>(sim_.node(id(i)));
      if (placement.is_home(key)) homes.push_back(i);
    }
    return homes;
  }

  std::string leave_command_;
  sim::Simulator sim_;
  std::array<std::vector<Told>, kWorldMembers> told_;
  std::array<std::uint64_t, kWorldMembers> cast_counts_{};
};

}  // namespace

std::unique_ptr<World> make_slots_in_simulator() {
  return std::make_unique<SimWorld>(
      [](NodeId node, std::uint64_t seed) {
        protocol::slots::SlotOptions options;
        options.self = node;
        options.name = fmt::format("member-{}", node.value);
        return std::make_unique<protocol::slots::SlotNode>(
            options, seed, std::make_unique<probe::ProbeApplication>());
      },
      encode(protocol::slots::Leave{}));
}

std::unique_ptr<World> make_chord_in_simulator() {
  return std::make_unique<SimWorld>(
      [](NodeId node, std::uint64_t seed) {
        protocol::chord::ChordOptions options;
        options.self = node;
        options.name = fmt::format("member-{}", node.value);
        for (std::uint64_t i = 1; i <= kWorldMembers; ++i) options.contacts.push_back({i});
        return std::make_unique<protocol::chord::ChordNode>(
            options, seed, std::make_unique<probe::ProbeApplication>());
      },
      protocol::chord::encode(protocol::chord::Leave{}));
}

}  // namespace weir::runtime
