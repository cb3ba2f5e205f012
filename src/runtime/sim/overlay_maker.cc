// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/overlay_maker.h"

#include <fmt/format.h>

#include <utility>

#include "protocol/chord/chord_node.h"
#include "protocol/chord/messages.h"
#include "protocol/probe/probe_application.h"
#include "protocol/slots/messages.h"
#include "protocol/slots/slot_node.h"

namespace weir::runtime::sim {

namespace chord = protocol::chord;
namespace slots = protocol::slots;
using protocol::NodeId;

namespace {

std::string name_of(NodeId node) { return fmt::format("member {}", node.value); }

}  // namespace

protocol::Key OverlayMaker::id_of(NodeId node) const { return ring_.key_of(name_of(node)); }

std::unique_ptr<protocol::Node> OverlayMaker::make(NodeId node, std::uint64_t seed,
                                                   std::vector<NodeId> contacts) const {
  protocol::probe::ProbeOptions options;
  if (!has_sum_) options.sum.reset();
  auto application = std::make_unique<protocol::probe::ProbeApplication>(options);
  if (overlay_ == Overlay::kSlots) {
    return std::make_unique<slots::SlotNode>(
        slots::SlotOptions{.self = node, .name = name_of(node)}, seed, std::move(application));
  }
  return std::make_unique<chord::ChordNode>(chord::ChordOptions{.self = node,
                                                                .name = name_of(node),
                                                                .ring_bits = ring_.bits(),
                                                                .contacts = std::move(contacts)},
                                            seed, std::move(application));
}

void OverlayMaker::settle(protocol::Node& node, std::span<const chord::Peer> members) const {
  if (overlay_ == Overlay::kChord) static_cast<chord::ChordNode&>(node).settle(members);
}

const protocol::Placement& OverlayMaker::placement(const protocol::Node& node) const {
  if (overlay_ == Overlay::kSlots) return static_cast<const slots::SlotNode&>(node);
  return static_cast<const chord::ChordNode&>(node);
}

std::optional<NodeId> OverlayMaker::successor(const protocol::Node& node) const {
  if (overlay_ != Overlay::kChord) return std::nullopt;
  const auto& member = static_cast<const chord::ChordNode&>(node);
  const std::optional<chord::Peer> successor = member.table().successor();
  return successor ? successor->node : member.self();
}

std::string OverlayMaker::leave_command() const {
  return overlay_ == Overlay::kSlots ? encode(slots::Leave{}) : chord::encode(chord::Leave{});
}

bool OverlayMaker::is_left(const protocol::Deliver& deliver) const {
  return deliver.kind == (overlay_ == Overlay::kSlots ? protocol::kind_of<slots::Left>()
                                                      : protocol::kind_of<chord::Left>());
}

}  // namespace weir::runtime::sim
