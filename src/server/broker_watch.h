// SPDX-License-Identifier: Apache-2.0
// BrokerWatch: tells the log when a broker cannot write its events or its registry, and when it can
// again. Whoever has it calls look() every second or so. One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "base/instant.h"
#include "broker/broker.h"
#include "server/log.h"
#include "server/trouble.h"

namespace weir::server {

class BrokerWatch {
 public:
  // Both must outlive it.
  BrokerWatch(const broker::Broker& broker, Log& log) : broker_(broker), log_(log) {}

  void look(base::Instant now);

 private:
  void look_at_events(const broker::BrokerStats& stats, base::Instant now);
  void look_at_registry(const broker::BrokerStats& stats, base::Instant now);

  const broker::Broker& broker_;
  Log& log_;
  Trouble events_;
  Trouble registry_;
  std::uint64_t commit_failures_ = 0;  // as they were last seen
  std::uint64_t registry_failures_ = 0;
  std::optional<base::Instant> registry_failed_;
};

}  // namespace weir::server
