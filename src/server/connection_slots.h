// SPDX-License-Identifier: Apache-2.0
// ConnectionSlots: how many connections there may be, in all and of one address.
//
// Beside these, some places are reserved for questions about the server itself (/healthz, /readyz,
// /metrics), so that a flood of connections does not make it look dead. A connection beyond the
// limits gets such a place, asks one of these questions or is told that there are too many, and is
// closed. If all are taken, a connection of the address that has most of them gives way, the oldest
// first: who connects and asks at once is answered, however many others connect and do not.
//
// An address of IPv6 counts as its network of 64 bits, which one host has to itself.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "server/metrics.h"
#include "server/net.h"
#include "server/server_options.h"

namespace weir::server {

class ConnectionSlots {
 public:
  static constexpr std::size_t kReservedCount = kReservedConnectionCount;

  ConnectionSlots(const ServerOptions& options, Metrics& metrics)
      : options_(options), metrics_(metrics) {}

  // Held by a connection; freed when the last copy goes.
  using Slot = std::shared_ptr<void>;

  // One of the reserved places.
  class Reserved {
   public:
    // `close` is called, once, when the place is given to another: from any thread, also at once.
    void on_taken(std::function<void()> close);

   private:
    friend ConnectionSlots;

    void take_away();

    std::mutex mutex_;
    std::function<void()> close_;
    bool is_taken_ = false;
  };

  // Null if there is none free.
  Slot take(const asio::ip::address& address);
  std::shared_ptr<Reserved> reserve(const asio::ip::address& address);

 private:
  struct Place {
    std::string address;
    std::weak_ptr<Reserved> reserved;
  };

  void free(const std::string& address);
  std::shared_ptr<Reserved> make_room();

  const ServerOptions& options_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> by_address_;  // only if they are limited
  std::list<Place> places_;                        // reserved ones, the oldest first
};

}  // namespace weir::server
