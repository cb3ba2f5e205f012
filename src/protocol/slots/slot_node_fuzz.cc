// SPDX-License-Identifier: Apache-2.0
// A member that receives any messages continues, and keeps its limits.
//
// The input is a list of: u8 source (0 is the user) | u8 steps of time | u8 length | message.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/check.h"
#include "protocol/probe/probe_application.h"
#include "protocol/slots/slot_node.h"

using namespace weir;
using namespace weir::protocol;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::ByteReader reader({reinterpret_cast<const char*>(data), size});
  slots::SlotNode node({.self = {1}, .name = "one"}, 7,
                       std::make_unique<probe::ProbeApplication>());
  base::Instant now{1};
  base::Instant wake = now;
  Effects effects;
  const auto take_effects = [&] {
    for (const Effect& effect : effects.list()) {
      if (const auto* asked = std::get_if<WakeAt>(&effect)) wake = asked->instant;
    }
    effects.clear();
  };
  while (!reader.failed() && reader.rest_bytes() > 0) {
    const NodeId source{reader.u8()};
    now = now + base::Duration::milliseconds(100 * reader.u8());
    while (wake <= now) {
      const base::Instant due = wake;
      wake = {INT64_MAX};
      node.on_wake(due, effects);
      take_effects();
    }
    node.on_message(now, source, reader.raw(reader.u8()), effects);
    take_effects();
    WEIR_CHECK(node.members().all().size() <= slots::kMembersMax);
  }
  return 0;
}
