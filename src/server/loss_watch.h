// SPDX-License-Identifier: Apache-2.0
// LossWatch: tells the log which subscriptions lose deliveries: once when that begins, once, with
// the count, when nothing more was lost for ten seconds. Also warns before retention overtakes a
// subscription. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "broker/loss_journal.h"
#include "server/log.h"

namespace weir::server {

class LossWatch {
 public:
  explicit LossWatch(Log& log) : log_(log) {}

  // To be called every second or so with the losses since the last call.
  void look(const std::vector<broker::Loss>& losses, base::Instant now);

 private:
  struct Episode {
    std::uint64_t count = 0;
    base::Instant last;
  };

  void tell_began(const broker::Loss& loss);
  void tell_ended(base::Instant now);

  Log& log_;
  std::map<std::pair<std::string, broker::LossKind>, Episode> episodes_;
};

}  // namespace weir::server
