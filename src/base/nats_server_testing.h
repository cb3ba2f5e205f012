// SPDX-License-Identifier: Apache-2.0
// NatsServer: a nats-server on a free port of the loopback, for tests; ends with the object.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weir::base {

class NatsServer {
 public:
  // Starts it, with these arguments besides, and waits until it listens. Aborts if it does not.
  explicit NatsServer(std::vector<std::string> arguments = {});
  ~NatsServer() { stop(); }
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  std::string url() const;
  std::uint16_t port() const { return port_; }
  pid_t process() const { return process_; }
  void stop();
  // On the same port as before.
  void start();

 private:
  std::vector<std::string> arguments_;
  std::uint16_t port_ = 0;
  pid_t process_ = 0;
};

// A port of the loopback that nobody listens to.
std::uint16_t free_port();

// Looks again and again, until it holds or too much time has passed.
bool eventually(const std::function<bool()>& holds);

}  // namespace weir::base
