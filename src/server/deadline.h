// SPDX-License-Identifier: Apache-2.0
// Deadline: a time by which what a connection waits for must have happened, else it is cancelled.
//
// Moving it to a later time costs no system call: the timer looks again when it fires. Used from
// one io thread.
#pragma once

#include <functional>
#include <memory>

#include "server/net.h"

namespace weir::server {

class Deadline {
 public:
  // Calls `expire` when a deadline passes.
  Deadline(const asio::any_io_executor& executor, std::function<void()> expire);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  void set(Milliseconds from_now) { set_at(Clock::now() + from_now); }
  void set_at(Clock::time_point at);
  void clear();
  // Whether it passed since it was set.
  bool expired() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // outlives this while its timer is cancelled
};

}  // namespace weir::server
