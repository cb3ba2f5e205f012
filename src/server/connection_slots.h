// SPDX-License-Identifier: Apache-2.0
// ConnectionSlots: how many connections there may be, in all and of one address. Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "server/metrics.h"
#include "server/server_options.h"

namespace weir::server {

class ConnectionSlots {
 public:
  ConnectionSlots(const ServerOptions& options, Metrics& metrics)
      : options_(options), metrics_(metrics) {}

  // Held by a connection; freed when the last copy goes.
  using Slot = std::shared_ptr<void>;

  // Null if there is none free.
  Slot take(const std::string& address);
  // One to tell a peer that there is none; null if too many are being told.
  Slot take_for_refusal();

 private:
  void free(const std::string& address);

  const ServerOptions& options_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::size_t refusal_count_ = 0;
  std::map<std::string, std::size_t> by_address_;  // only if they are limited
};

}  // namespace weir::server
