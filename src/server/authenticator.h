// SPDX-License-Identifier: Apache-2.0
// Authenticator: asks the broker who a token belongs to, off the io threads, since the first time
// takes the broker long (a slow hash). A token that it has seen, and nearly every bad one, is
// answered at once, however many wait. A few texts may wait that have one public part, so that
// wrong secrets for one token do not take the places of others.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/result.h"
#include "broker/broker.h"
#include "server/metrics.h"
#include "server/net.h"
#include "server/slow_calls.h"

namespace weir::server {

class Authenticator {
 public:
  // All must outlive it.
  Authenticator(broker::Broker& broker, Metrics& metrics, SlowCalls& slow_calls)
      : broker_(broker), metrics_(metrics), slow_calls_(slow_calls) {}

  // kBrokerBusy if the token is new and too many wait already.
  Task<base::Result<broker::PrincipalPtr>> authenticate(std::string token);

 private:
  Task<base::Result<broker::PrincipalPtr>> find(const std::string& token);
  // Counts one more that waits with this text; false if enough others have its public part.
  bool enter(const std::string& lookup, std::uint64_t text_hash);
  void leave(const std::string& lookup, std::uint64_t text_hash);

  broker::Broker& broker_;
  Metrics& metrics_;
  SlowCalls& slow_calls_;
  std::mutex mutex_;
  // How many wait, by public part and hash of the text.
  std::map<std::string, std::map<std::uint64_t, std::size_t>> waiting_;
};

}  // namespace weir::server
