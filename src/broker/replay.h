// SPDX-License-Identifier: Apache-2.0
// Replay: takes a subscription through old events, by an engine of its own, until it has caught up.
//
//   log:  [.... read .... | next ............. live]
//
// The engine is told each event at the instant it had, so a filter with state delivers what it
// would have delivered had it been subscribed then, and its state can go on in another engine.
// Reading goes in short steps. The same steps from the same state give the same deliveries under
// the same numbers, so a replay that was cut off goes on from its last checkpoint: deliveries that
// are numbered up to an outbox's last one are known already.
//
// The engine is made with the first step, so a replay that waits costs little. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "engine/engine.h"
#include "store/event_log.h"
#include "store/registry.h"

namespace weir::broker {

class Replay {
 public:
  struct Options {
    const store::EventLog& log;
    engine::EngineOptions engine;
    filter::FilterPtr filter;
    engine::SubscribeOptions subscribe;  // its state is not looked at
  };
  // Goes on from the row, whose subscription is not looked at.
  Replay(Options options, store::ReplayRow from);

  // Called with each delivery, its number and the instant up to which everything due is delivered.
  using Deliver =
      std::function<void(const engine::Delivery&, std::uint64_t number, base::Instant at)>;
  struct Bounds {
    std::uint64_t through_sequence = 0;  // reads no event after this one
    std::size_t event_count_max = 0;
    std::function<bool()> may_go_on;  // asked after each event
  };
  // Reads some events. Fails if the log or the state cannot be read.
  base::Result<void> step(const Bounds& bounds, const Deliver& deliver);

  std::uint64_t next_sequence() const { return row_.next_sequence; }
  std::uint64_t skipped() const { return row_.skipped; }
  std::uint64_t last_delivery() const { return row_.last_delivery; }
  // Where it stands, with its state.
  base::Result<store::ReplayRow> save(std::uint64_t subscription) const;

  // The parts of a row's state: of the filter, and how rare words are.
  struct States {
    std::string filter;
    std::string text;
  };
  base::Result<States> states() const;

 private:
  base::Result<void> begin();
  base::Result<void> read_one(const store::LogRecord& record, const Deliver& deliver);
  void hand_out(std::span<const engine::Delivery> deliveries, base::Instant at,
                const Deliver& deliver);

  Options options_;
  store::ReplayRow row_;
  std::unique_ptr<engine::Engine> engine_;
  engine::SubscriptionId id_;
  std::optional<store::LogReader> reader_;
};

}  // namespace weir::broker
