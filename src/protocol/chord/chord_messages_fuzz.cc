// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of Chord are refused, or read and written back the same; and a member
// that hears them, from another or as its user's command, goes on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "protocol/chord/chord_node.h"
#include "protocol/probe/probe_application.h"

namespace {

using namespace weir::protocol;
using namespace weir::protocol::chord;

template <typename... Messages>
void try_all(std::string_view bytes) {
  const auto try_one = [bytes]<typename Message>(const std::optional<Message>& message) {
    WEIR_CHECK(!message || encode(*message) == bytes);
  };
  (try_one(chord::read<Messages>(bytes)), ...);
}

void hear(std::string_view bytes) {
  const ChordOptions options{.self = {1}, .name = "fuzzed"};
  ChordNode node(options, 1, std::make_unique<probe::ProbeApplication>());
  std::vector<Peer> members{
      node.table().self(), {.node = {2}, .id = {5}}, {.node = {3}, .id = {9}}};
  std::sort(members.begin(), members.end(),
            [](const Peer& a, const Peer& b) { return a.id < b.id; });
  node.settle(members);
  Effects effects;
  node.on_wake({1}, effects);
  for (const NodeId source : {NodeId{2}, NodeId{77}, kUser}) {
    node.on_message({2}, source, bytes, effects);
  }
  node.on_wake({weir::base::Duration::seconds(3).nanoseconds}, effects);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_all<Lookup, Leave, Found, Left, Find, Home, Ask, Tell, Introduce, Goodbye, Items, Kept,
          RouteEnvelope, MulticastEnvelope>(bytes);
  hear(bytes);
  return 0;
}
