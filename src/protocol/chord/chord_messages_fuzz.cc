// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message of Chord are refused, or read and written back the same. A member that
// receives them, from another member or from its user, continues.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "protocol/chord/chord_node.h"
#include "protocol/message_fuzz_testing.h"
#include "protocol/probe/probe_application.h"

namespace {

using namespace weir::protocol;
using namespace weir::protocol::chord;

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
  check_read_back(Messages{}, bytes);
  hear(bytes);
  return 0;
}
