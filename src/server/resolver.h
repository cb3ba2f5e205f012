// SPDX-License-Identifier: Apache-2.0
// Resolver: finds the addresses of names by the system's resolver, which blocks: each lookup has a
// thread of its own, so that none waits for another.
//
// A lookup cannot be interrupted. Whoever gives one up, and the destructor, do not wait for it: it
// ends by itself and its answer is dropped. How many there are at a time is up to the caller: what
// he gives as `hold` is kept until the lookup has ended. Used from one io thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/address_guard.h"
#include "server/net.h"

namespace weir::server {

class Resolver {
 public:
  using Addresses = std::vector<IpAddress>;  // none: the name is not known
  using LookUp = std::function<Addresses(const std::string& host)>;
  using Hold = std::shared_ptr<void>;

  explicit Resolver(asio::any_io_executor executor, LookUp look_up = system_look_up);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Nothing if that has not ended in time.
  Task<std::optional<Addresses>> resolve(const std::string& host, Clock::time_point until,
                                         Hold hold);

  static Addresses system_look_up(const std::string& host);

 private:
  struct Question;
  struct Shared;

  asio::any_io_executor executor_;
  LookUp look_up_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace weir::server
