// SPDX-License-Identifier: Apache-2.0
// Clerk: the one who writes the registry, on a thread of its own, many changes in one transaction.
//
// A change is durable when its `done` is called without an error; changes are made in the order in
// which they were handed in. When a transaction of several requests fails, each is tried alone.
// Every transaction tells how far the log went, so that a log that is older than the registry is
// known when they are opened.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "broker/delivery.h"
#include "broker/task_queue.h"
#include "store/event_log.h"
#include "store/registry.h"

namespace weir::broker {

class Clerk {
 public:
  Clerk(store::Registry& registry, const store::EventLog& log);
  ~Clerk();
  Clerk(const Clerk&) = delete;
  Clerk& operator=(const Clerk&) = delete;

  // Any thread. `done` is called from the clerk's thread.
  void write(std::vector<store::RegistryChange> changes, Done done);
  // Writes what was handed in and ends the thread.
  void stop();

  std::uint64_t failure_count() const { return failure_count_; }
  // Why the last write failed that did; empty if none did.
  std::string failure() const;

 private:
  struct Request {
    std::vector<store::RegistryChange> changes;
    Done done = {};
    bool last = false;
  };

  void run();
  void write_all(std::vector<Request>& requests);
  base::Result<void> apply(std::vector<store::RegistryChange> changes);

  store::Registry& registry_;
  const store::EventLog& log_;
  TaskQueue<Request> queue_;
  std::atomic<std::uint64_t> failure_count_ = 0;
  mutable std::mutex failure_mutex_;
  std::string failure_;
  std::jthread thread_;
};

}  // namespace weir::broker
