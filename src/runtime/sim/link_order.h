// SPDX-License-Identifier: Apache-2.0
// LinkOrder: a link hands over what it carries in the order it was sent, as TCP and NATS do.
//
// Links that carry nothing are forgotten, so that memory goes with the messages under way and not
// with the square of the members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/instant.h"
#include "protocol/effects.h"

namespace weir::runtime::sim {

class LinkOrder {
 public:
  // When a message arrives that would arrive at this instant if the link were its own.
  base::Instant arrange(protocol::NodeId from, protocol::NodeId to, base::Instant now,
                        base::Instant arrival) {
    if (last_.size() >= forget_at_) forget(now);
    base::Instant& last = last_[Link{.from = from, .to = to}];
    last = std::max(last, arrival);
    return last;
  }

 private:
  struct Link {
    protocol::NodeId from;
    protocol::NodeId to;

    bool operator==(const Link&) const = default;
  };
  struct LinkHash {
    std::size_t operator()(const Link& link) const {
      const std::uint64_t mixed = (link.from.value * 0x9E3779B97F4A7C15U) ^ link.to.value;
      return static_cast<std::size_t>(mixed * 0xBF58476D1CE4E5B9U);
    }
  };
  static constexpr std::size_t kForgetAtMin = 1U << 16U;

  void forget(base::Instant now) {
    std::erase_if(last_, [now](const auto& entry) { return entry.second <= now; });
    forget_at_ = std::max(kForgetAtMin, last_.size() * 2);
  }

  std::unordered_map<Link, base::Instant, LinkHash> last_;
  std::size_t forget_at_ = kForgetAtMin;
};

}  // namespace weir::runtime::sim
