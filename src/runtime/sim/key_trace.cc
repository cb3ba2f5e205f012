// SPDX-License-Identifier: Apache-2.0
#include "runtime/sim/key_trace.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "protocol/catalogue/kind_name.h"
#include "protocol/catalogue/traced_keys.h"
#include "protocol/message.h"

namespace weir::runtime::sim {

using protocol::NodeId;

KeyTrace::KeyTrace(unsigned ring_bits, protocol::Key key, Write write)
    : ring_(ring_bits), key_(key), write_(std::move(write)) {}

void KeyTrace::on_hear(base::Instant at, NodeId node, NodeId source, std::string_view message) {
  tell(at, node, "hears", message,
       source == protocol::kUser ? " from its user" : fmt::format(" from {}", source.value));
}

void KeyTrace::on_effect(base::Instant at, NodeId node, const protocol::Effect& effect) {
  if (const auto* send = std::get_if<protocol::Send>(&effect)) {
    tell(at, node, "sends", send->bytes, fmt::format(" to {}", send->target.value));
  } else if (const auto* route = std::get_if<protocol::Route>(&effect)) {
    tell(at, node, "routes", route->bytes, {});
  } else if (const auto* multicast = std::get_if<protocol::Multicast>(&effect)) {
    tell(at, node, "casts", multicast->bytes, {});
  } else if (const auto* deliver = std::get_if<protocol::Deliver>(&effect)) {
    tell(at, node, "delivers", deliver->bytes, " to its user");
  }
}

void KeyTrace::on_crash(base::Instant at, NodeId node) { write(at, node, "goes down"); }

void KeyTrace::on_restart(base::Instant at, NodeId node, bool keeps_state) {
  write(at, node, keeps_state ? "comes back as it was" : "comes back as a new one");
}

void KeyTrace::tell(base::Instant at, NodeId node, std::string_view before,
                    std::string_view message, const std::string& after) {
  const auto traced = protocol::catalogue::traced_keys(message);
  if (!traced.concern(ring_, key_)) return;
  const std::string kind = protocol::catalogue::kind_name(protocol::open_message(message).kind);
  const std::string hops = traced.hops ? fmt::format(", {} hops", *traced.hops) : "";
  write(at, node, fmt::format("{} {}{}{}", before, kind, after, hops));
}

void KeyTrace::write(base::Instant at, NodeId node, const std::string& what) {
  constexpr std::int64_t kMicrosecond = 1000;
  constexpr std::int64_t kSecond = 1'000'000;
  const std::int64_t microseconds = at.nanoseconds / kMicrosecond;
  write_(fmt::format("{:>6}.{:06}s  member {:<6} {}", microseconds / kSecond,
                     microseconds % kSecond, node.value, what));
}

}  // namespace weir::runtime::sim
