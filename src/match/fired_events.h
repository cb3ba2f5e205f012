// SPDX-License-Identifier: Apache-2.0
// FiredEvents: what a change filter delivers at one moment, and Firings, where that is collected.
//
// A conjunction of one change that fires delivers its current event, unless the subscriber has it.
// A conjunction of several delivers the current event of every source, if at least one of them is
// new to the subscriber; the others are marked as repeated. Where several fire at one moment, they
// are one delivery with each event once, oldest first. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "event/event.h"

namespace weir::match {

struct FiredEvent {
  event::EventPtr event;
  bool repeated = false;  // the subscriber was given it before
};

struct FiredEvents {
  std::vector<FiredEvent> events;  // oldest first
  bool is_group = false;           // a conjunction of several changes fired
};

// An event as the current value of one or more terms, and whether the subscriber has it.
struct HeldEvent {
  event::EventPtr event;  // null if it was delivered and nobody needs it
  std::uint64_t order;
  bool delivered = false;
  std::size_t memory_bytes = 0;  // of the event, if somebody counts it
};
using HeldEventPtr = std::shared_ptr<HeldEvent>;

class Firings {
 public:
  // A conjunction fires with these events.
  void add(std::vector<HeldEventPtr> events, bool is_composite) {
    all_.push_back({std::move(events), is_composite});
  }
  // Appends what is to be delivered; from then on it counts as delivered.
  void deliver(FiredEvents& fired);

 private:
  struct Firing {
    std::vector<HeldEventPtr> events;
    bool is_composite;
  };

  std::vector<Firing> all_;
};

}  // namespace weir::match
