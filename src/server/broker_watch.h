// SPDX-License-Identifier: Apache-2.0
// BrokerWatch: tells the log when a broker cannot write its events or its registry, and when it can
// again, which subscriptions lose deliveries, when the wall clock steps, and which tokens cannot be
// read. Its owner calls
// look() every second or so. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/instant.h"
#include "broker/broker.h"
#include "server/log.h"
#include "server/loss_watch.h"
#include "server/trouble.h"

namespace weir::server {

class BrokerWatch {
 public:
  // Both must outlive it.
  BrokerWatch(broker::Broker& broker, Log& log) : broker_(broker), log_(log), losses_(log) {}

  // By a clock that is never set.
  void look(base::Instant now);

 private:
  void look_at_events(const broker::BrokerStats& stats, base::Instant now);
  void look_at_registry(const broker::BrokerStats& stats, base::Instant now);
  void look_at_clock(const broker::BrokerStats& stats);
  void look_at_tokens();

  broker::Broker& broker_;
  Log& log_;
  LossWatch losses_;
  Trouble events_;
  Trouble registry_;
  std::uint64_t commit_failures_ = 0;  // as they were last seen
  std::uint64_t registry_failures_ = 0;
  std::optional<base::Instant> registry_failed_;
  std::uint64_t clock_steps_forward_ = 0;
  std::uint64_t clock_steps_back_ = 0;
  std::set<std::string> unreadable_tokens_;  // reasons that were told
};

}  // namespace weir::server
