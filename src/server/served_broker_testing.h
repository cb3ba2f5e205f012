// SPDX-License-Identifier: Apache-2.0
// ServedBroker: a real broker behind a real server in a process of its own, for benchmarks.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "base/temporary_directory_testing.h"

namespace weir::server {

// The CPU time that a process has used so far.
base::Duration cpu_time_of(pid_t process);
// Its memory in RAM.
std::size_t resident_bytes_of(pid_t process);

struct ServedBrokerOptions {
  std::vector<std::string> filters = {};  // of durable subscriptions, in the weir language
  std::size_t io_thread_count = 1;
};

class ServedBroker {
 public:
  // Requires a process with one thread. Aborts if it does not start.
  explicit ServedBroker(const ServedBrokerOptions& options);
  ~ServedBroker();
  ServedBroker(const ServedBroker&) = delete;
  ServedBroker& operator=(const ServedBroker&) = delete;

  std::uint16_t port() const { return port_; }
  pid_t process() const { return process_; }

 private:
  base::TemporaryDirectory directory_;
  pid_t process_ = 0;
  std::uint16_t port_ = 0;
  int hold_ = -1;  // the child ends when this is closed
};

}  // namespace weir::server
