// SPDX-License-Identifier: Apache-2.0
// Authenticator: asks the broker who a token belongs to, off the io threads, since the first time
// takes the broker long (a slow hash). A token that it has seen is answered at once, however many
// wait.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "broker/broker.h"
#include "server/metrics.h"
#include "server/net.h"
#include "server/server_options.h"

namespace weir::server {

class Authenticator {
 public:
  Authenticator(broker::Broker& broker, Metrics& metrics, const ServerOptions& options);
  ~Authenticator();

  // kBrokerBusy if the token is new and too many wait already.
  Task<base::Result<broker::PrincipalPtr>> authenticate(std::string token);

 private:
  struct Threads;

  Task<base::Result<broker::PrincipalPtr>> find(const std::string& token);

  broker::Broker& broker_;
  Metrics& metrics_;
  const std::size_t queue_max_;
  std::atomic<std::size_t> waiting_count_ = 0;
  std::unique_ptr<Threads> threads_;
};

}  // namespace weir::server
